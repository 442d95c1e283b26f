"""Runs a server of the Global HashCost Index API for tests, on a free port of this machine.

    with Sandbox(at="2026-11-15T12:00:00Z") as sandbox:
        print(sandbox.url)
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, TypeAlias

__all__ = ["Flag", "Sandbox", "SandboxError"]

# The value of a server flag. True sets a flag without a value; None and False omit it.
Flag: TypeAlias = str | int | bool | Path | Sequence[str] | None

# How the server is started. It stops when its standard input closes, so also when this process is killed.
_SERVE = ["serve", "--listen=127.0.0.1:0", "--print-url", "--exit-with-stdin", "--drain=0"]

# How long to wait for open requests when the server stops, seconds.
_STOP_TIMEOUT = 2.0


class SandboxError(Exception):
    """The server did not start. The message is the server's own."""


class Sandbox:
    """A running server. It stops at the end of a `with` block, with `stop()`, or when this process ends.

    Keyword arguments are flags of `ghi serve`, with underscores: `chaos=20, strict_parameters=True`. `binary` is the
    path of another `ghi` than the installed one.
    """

    url: str
    """The base URL, without a trailing slash."""

    def __init__(
        self, at: str | None = None, *, binary: str | os.PathLike[str] | None = None, **flags: Flag
    ) -> None:
        self._start(binary or _installed_binary(), {"at": at, **flags}, tempfile.TemporaryFile())

    def _start(self, binary: str | os.PathLike[str], flags: dict[str, Flag], log: BinaryIO) -> None:
        self._binary, self._flags, self._log = binary, flags, log
        self._others: dict[str, Sandbox] = {}
        self._started_by = os.getpid()
        given = [argument for name, value in flags.items() for argument in _arguments(name, value)]
        self._process = subprocess.Popen(
            [os.fspath(binary), *_SERVE, *given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env={name: value for name, value in os.environ.items() if not name.startswith(("GHI_", "LISTEN_"))},
            # Ctrl-C in a terminal must not stop it before the tests.
            start_new_session=True,
        )
        assert self._process.stdout
        try:
            url = self._process.stdout.readline().decode().strip()
            if not url:
                self._process.wait()
                raise SandboxError(self.log.strip() or f"{binary} ended with code {self._process.returncode}")
        except BaseException:
            self.stop()
            raise
        self.url = url

    @property
    def log(self) -> str:
        """The server's log so far, including that of the servers returned by `at`."""
        size = os.fstat(self._log.fileno()).st_size
        # Servers write at the file's position, so reading must not move it.
        return os.pread(self._log.fileno(), size, 0).decode(errors="replace")

    def at(self, at: str) -> Sandbox:
        """Returns a server with the same flags, and its clock stopped at this time. It stops with this one."""
        if at not in self._others:
            other = Sandbox.__new__(Sandbox)
            other._start(self._binary, {**self._flags, "speed": None, "at": at}, self._log)
            self._others[at] = other
        return self._others[at]

    def stop(self) -> None:
        """Stops the server and waits for its end."""
        # A forked process has a copy of this object, but the server belongs to the process that started it.
        if os.getpid() != self._started_by:
            return
        for other in self._others.values():
            other.stop()
        self._process.terminate()
        try:
            self._process.wait(_STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream
            stream.close()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _arguments(name: str, value: Flag) -> list[str]:
    flag = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    values = [value] if isinstance(value, (str, int, Path)) else value
    return [f"{flag}={each}" for each in values]


def _installed_binary() -> Path:
    """Returns the path of the `ghi` that was installed with this module."""
    files = metadata.files("ghi-sandbox") or []
    candidates = [Path(str(file.locate())) for file in files if file.name == "ghi"]
    # `pip install --target` moves it there.
    candidates.append(Path(__file__).parent.parent / "bin/ghi")
    for path in candidates:
        if path.is_file():
            return path.resolve()
    raise SandboxError(f"the ghi command is missing; expected {candidates[0]}. Reinstall ghi-sandbox")
