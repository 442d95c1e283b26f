"""Runs a server of the Global HashCost Index API for tests, on a free port of this machine.

    with Sandbox(at="2026-11-15T12:00:00Z") as sandbox:
        requests.get(f"{sandbox.url}/v1/ghi/snapshot", headers=failing("code=503", times=2))
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import uuid
from collections.abc import Sequence
from datetime import date, datetime, timezone
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, TypedDict

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Options", "Sandbox", "SandboxError", "failing"]


class Options(TypedDict, total=False):
    """Flags of `ghi serve`, which `ghi serve --help` describes. None and False omit a flag.

    A `datetime` without a time zone is in UTC. `binary` is the path of another `ghi` than the installed one.
    """

    binary: str | os.PathLike[str] | None
    at: str | date | None
    speed: int | None
    fail: str | Sequence[str] | None
    chaos: float | None
    chaos_path: str | None
    inputs: str | os.PathLike[str] | None
    watch: bool
    snapshot_form: str | None
    no_scenarios: bool
    strict_parameters: bool
    rate_limit: int | None
    rate_limit_loopback: bool
    access_log: bool
    log_format: str | None
    public_url: str | None
    trusted_proxy: str | Sequence[str] | None
    probe_listen: str | None
    max_connections: int | None
    idle_timeout: str | int | None
    workers: int | None


# How the server is started. It stops when its standard input closes, so also when this process is killed.
_SERVE = ["serve", "--listen=127.0.0.1:0", "--print-url", "--exit-with-stdin", "--drain=0"]

# How long to wait for open requests when the server stops, seconds.
_STOP_TIMEOUT = 2.0


class SandboxError(Exception):
    """The server did not start. The message is the server's own."""


def failing(preferences: str, times: int | None = None) -> dict[str, str]:
    """Returns the headers of a request that fails, such as `failing("code=503")`.

    With `times`, only the first so many requests with these headers fail, for each path: each call makes a new key. A
    misspelled preference makes the request fail with 400.
    """
    recovery = [f"times={times}", f"key={uuid.uuid4().hex}"] if times is not None else []
    return {"Prefer": ", ".join([preferences, *recovery, "handling=strict"])}


class Sandbox:
    """A running server. It stops at the end of a `with` block, with `stop()`, or when this process ends.

    Options are flags of `ghi serve`, with underscores: `chaos=20, strict_parameters=True`.
    """

    failing = staticmethod(failing)

    url: str
    """The base URL, without a trailing slash."""

    def __init__(self, **options: Unpack[Options]) -> None:
        if unknown := set(options) - set(Options.__annotations__):
            raise TypeError(f"unknown option {unknown.pop()}; the options are {', '.join(Options.__annotations__)}")
        binary = options.pop("binary", None) or _installed_binary()
        self._start(binary, options, tempfile.TemporaryFile())

    def _start(self, binary: str | os.PathLike[str], options: Options, log: BinaryIO) -> None:
        self._binary, self._options, self._log = binary, options, log
        self._others: dict[str, Sandbox] = {}
        self._started_by = os.getpid()
        given = [argument for name, value in options.items() for argument in _arguments(name, value)]
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

    def at(self, at: str | date) -> Sandbox:
        """Returns a server with the same flags, and its clock stopped at this time. It stops with this one."""
        time = _argument(at)
        if time not in self._others:
            other = Sandbox.__new__(Sandbox)
            other._start(self._binary, {**self._options, "speed": None, "at": time}, self._log)
            self._others[time] = other
        return self._others[time]

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


def _arguments(name: str, value: object) -> list[str]:
    flag = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    values = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    return [f"{flag}={_argument(each)}" for each in values]


def _argument(value: object) -> str:
    if isinstance(value, datetime):
        utc = value.astimezone(timezone.utc) if value.tzinfo else value
        return utc.replace(tzinfo=None).isoformat() + "Z"
    # Whole percentages may be computed as floats.
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


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
