#!/usr/bin/env python3
"""Each command of the documents that readers type along with does what the document shows.

    target/venv/bin/python checks/tour.py [--ghi BINARY] [--document docs/recipes.md]

Needs what `.ci/setup` installs; takes two minutes. It reads each document from top to bottom as a
reader would, in one shell, and listens on the ports that the document names:

- a line that starts with `$ ` is run, and must succeed; the lines below it are what it prints, where
  `...` stands for any text within a line, and alone on a line for any lines;
- a command that ends with `&`, or that shows what it listens on, is a server: what it logs must come
  within a minute;
- a block of code whose first line names a file is written to that file, or, where the project has a
  file of that name, must stand in it word for word; of a language without comments, the name stands
  behind that of the language.
"""

import difflib
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import server

DOCUMENTS = ["docs/testing-your-client.md", "docs/recipes.md"]
# What each document begins with; `server.arguments` and `Session` do it in its place.
SET_UP = [
    "cargo build --locked --release",
    'export PATH="$PWD/target/release:$PATH"',
    'cd "$(mktemp -d)"',
]
# Where Rust keeps what it has downloaded, below the home folder unless a variable says otherwise.
RUST = {"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"}
# Follows what a command prints, with its exit code behind it.
END = "end of the command:"
# Only against waiting for ever: a busy machine takes long to compile.
LONGEST_SECONDS = 1800
START_SECONDS = 60


class Command:
    """A command of the document, and what it shows below it."""

    def __init__(self, line, text):
        self.line = line
        self.text = text
        self.shown = []

    def matches(self, printed):
        """Whether this is what the document shows, but for `...`."""
        pattern = ""
        for line in self.shown:
            if line == "...":
                pattern += r"(?:[^\n]*\n)*"
            else:
                pattern += r"[^\n]*".join(map(re.escape, line.split("..."))) + r"\n"
        return re.fullmatch(pattern, "".join(line + "\n" for line in printed))

    def difference(self, printed):
        lines = difflib.ndiff(self.shown, printed)
        return "\n".join(line.rstrip("\n") for line in lines if not line.startswith("?"))


class Code:
    """A block of code that stands in a file."""

    def __init__(self, line, name, block):
        self.line = line
        self.name, self.text = name, block
        if not name:
            first, self.text = block.split("\n", 1)
            comment = re.fullmatch(r"(?:#|//) (\S+)", first)
            assert comment, f"line {line}: a block of code must begin with the name of its file"
            self.name = comment[1]


def commands(line, block):
    """The commands of a console block; a line that ends with a backslash goes on in the next."""
    found = []
    for number, text in enumerate(block.splitlines(), line):
        if text.startswith("$ "):
            found.append(Command(number, text[2:]))
        elif found and found[-1].text.endswith("\\"):
            found[-1].text += "\n" + text
        else:
            assert found, f"line {number}: output of no command"
            found[-1].shown.append(text)
    return found


def parts(document):
    """The commands and the blocks of code, in their order."""
    found = []
    for block in re.finditer(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", document, re.MULTILINE | re.DOTALL):
        language, name, text = block.groups()
        line = document.count("\n", 0, block.start(3)) + 1
        found += commands(line, text) if language == "console" else [Code(line, name, text)]
    count = sum(isinstance(part, Command) for part in found)
    assert count == len(re.findall(r"^\$ ", document, re.MULTILINE)), "a command outside of a console block"
    return found


class Session:
    """A shell in a folder of its own, which ends with all that it started."""

    def __init__(self, ghi, folder, start=None):
        programs = folder / "programs"
        programs.mkdir()
        (programs / "ghi").symlink_to(ghi.resolve())
        self.home = folder / "home"
        self.home.mkdir()
        # As if the reader had installed what the document asks for.
        (self.home / "node_modules").symlink_to(server.ROOT / "checks/clients/node_modules")
        tools = server.TARGET / "tools/bin"
        # Cargo installs there and finds what it has compiled.
        rust = {name: os.environ.get(name, Path.home() / place) for name, place in RUST.items()}
        installed = self.home / "installed"
        # Nothing but this, so that no setting of the machine's changes what is printed.
        path = f"{installed}/bin:{programs}:{Path(sys.executable).parent}:{tools}:{os.environ['PATH']}"
        self.shell = subprocess.Popen(
            ["bash"],
            cwd=start or self.home,
            env={
                "PATH": path,
                "HOME": str(self.home),
                "LC_ALL": "C.UTF-8",
                "CARGO_INSTALL_ROOT": str(installed),
                **{name: str(place) for name, place in rust.items()},
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
        self.shell.wait()

    def end(self):
        os.killpg(self.shell.pid, signal.SIGKILL)

    def run(self, command):
        """What a command prints, line by line, and its exit code."""
        timer = threading.Timer(LONGEST_SECONDS, self.end)
        timer.start()
        self.shell.stdin.write(f"{command}\nprintf '\\n%s %s\\n' '{END}' $?\n")
        self.shell.stdin.flush()
        printed = []
        while not printed or not printed[-1].startswith(END):
            line = self.shell.stdout.readline()
            assert line, f"`{command}` takes longer than {LONGEST_SECONDS} s, or ends the shell"
            printed.append(line.rstrip("\r\n"))
        timer.cancel()
        code = int(printed.pop().removeprefix(END))
        # What `printf` began a line for is an empty one where the command had ended its last.
        return printed if printed[-1] else printed[:-1], code

    def start(self, command):
        """Runs a server in the background; what it has logged once that matches."""
        log = self.home / f".log-{command.line}"
        log.touch()
        self.run(f"{command.text.removesuffix('&')} >{log} 2>&1 &")
        give_up = time.monotonic() + START_SECONDS
        printed = []
        while time.monotonic() < give_up and not command.matches(printed):
            time.sleep(0.02)
            printed = log.read_text().splitlines()
        return printed

    def check(self, command):
        """What is wrong with a command, if anything is."""
        if command.text.endswith("&") or any("listens on" in line for line in command.shown):
            printed, code = self.start(command), 0
        else:
            printed, code = self.run(command.text)
        at = f"line {command.line}: $ {command.text}\n"
        if not command.matches(printed):
            return at + command.difference(printed)
        return at + f"exit code {code}" if code else None

    def place(self, code):
        """Writes code to its file; what is wrong where the project has that file."""
        original = server.ROOT / code.name
        if not original.exists():
            (self.home / code.name).write_text(code.text)
        elif code.text not in original.read_text():
            return f"line {code.line}: this does not stand in {code.name}"
        return None


def tour(name, ghi):
    """Goes through a document."""
    all_parts = parts((server.ROOT / name).read_text())
    set_up, steps = all_parts[: len(SET_UP)], all_parts[len(SET_UP) :]
    assert [part.text for part in set_up] == SET_UP, f"{name} does not begin with the build"
    started = time.monotonic()
    wrong = []
    with tempfile.TemporaryDirectory() as folder, Session(ghi, Path(folder)) as session:
        for part in steps:
            wrong.append(session.check(part) if isinstance(part, Command) else session.place(part))
    wrong = list(filter(None, wrong))
    assert not wrong, "\n\n".join([f"{name}: - expected, + actual", *wrong])
    count = sum(isinstance(part, Command) for part in steps)
    print(f"{count} commands of {name} work as shown, in {time.monotonic() - started:.0f} s")


def main():
    given = server.arguments(__doc__, document="")
    for name in [given.document] if given.document else DOCUMENTS:
        tour(name, given.ghi)


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(str(error))
