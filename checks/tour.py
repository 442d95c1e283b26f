#!/usr/bin/env python3
"""Checks that each command in the tour and the recipes prints what the document shows.

    target/venv/bin/python checks/tour.py [--ghi BINARY] [--document docs/recipes.md]

Needs the tools that `.ci/setup` installs; takes three minutes. It installs the newest versions of the packages that
a document names with `pip install` and `npm install`, runs the document from top to bottom in one shell, as a reader
would, and uses the ports that the document names:

- a line that starts with `$ ` is run and must succeed; the lines below are its expected output, where
  `...` stands for any text within a line or, alone on a line, for any lines;
- a command that ends with `&`, or whose output says what it listens on, is a server: its log must match
  within a minute;
- a code block whose first line names a file is written to that file. If the project has a file of that
  name, the block must be a part of it. In a language without comments, the file name follows the name of
  the language.
"""

import difflib
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
import venv
from pathlib import Path

import server

DOCUMENTS = ["docs/testing-your-client.md", "docs/recipes.md"]
# The first commands of each document; `server.arguments` and `Session` replace them.
SET_UP = [
    "cargo build --locked --release",
    'export PATH="$PWD/target/release:$PATH"',
    'cd "$(mktemp -d)"',
]
# Rust's download folders, relative to the home folder unless a variable is set.
RUST = {"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"}
# Lets Cargo use what `.ci/run` has compiled.
COMPILER_SETTINGS = ["CARGO_INCREMENTAL", "CARGO_PROFILE_DEV_DEBUG"]
# Marks the end of a command's output, followed by its exit code.
END = "end of the command:"
# Prevents waiting forever; compiling takes long on a busy machine.
LONGEST_SECONDS = 1800
START_SECONDS = 60
# How a document names packages.
PACKAGES = re.compile(r"`(pip|npm) install ([^`]+)`")


class Command:
    """A command of the document, and its expected output."""

    def __init__(self, line, text):
        self.line = line
        self.text = text
        self.shown = []

    def matches(self, printed):
        """Returns whether the output matches the document, where `...` matches anything."""
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
    """A code block that belongs in a file."""

    def __init__(self, line, name, block):
        self.line = line
        self.name, self.text = name, block
        if not name:
            first, self.text = block.split("\n", 1)
            comment = re.fullmatch(r"(?:#|//) (\S+)", first)
            assert comment, f"line {line}: a code block must begin with the name of its file"
            self.name = comment[1]


def commands(line, block):
    """Returns the commands of a console block; a backslash at the end continues a line."""
    found = []
    for number, text in enumerate(block.splitlines(), line):
        if text.startswith("$ "):
            found.append(Command(number, text[2:]))
        elif found and found[-1].text.endswith("\\"):
            found[-1].text += "\n" + text
        else:
            assert found, f"line {number}: output without a command"
            found[-1].shown.append(text)
    return found


def parts(document):
    """Returns the commands and code blocks in order."""
    found = []
    for block in re.finditer(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", document, re.MULTILINE | re.DOTALL):
        language, name, text = block.groups()
        line = document.count("\n", 0, block.start(3)) + 1
        found += commands(line, text) if language == "console" else [Code(line, name, text)]
    count = sum(isinstance(part, Command) for part in found)
    assert count == len(re.findall(r"^\$ ", document, re.MULTILINE)), "a command outside a console block"
    return found


def install(packages, folder, home):
    """Installs the newest packages that a document names, as a reader would. Returns the folder of Python."""
    named = {"pip": [], "npm": []}
    for installer, names in packages:
        # Not those of this project, which are built from it.
        named[installer] += [name for name in shlex.split(names) if not name.startswith((".", "DIR/"))]
    venv.create(folder / "python", with_pip=True)
    python = folder / "python/bin"
    for command, names in [
        ([python / "pip", "install", "--quiet", "--disable-pip-version-check"], named["pip"]),
        (["npm", "install", "--loglevel=error", "--no-fund", "--no-audit", "--ignore-scripts", "--prefix", home], named["npm"]),
    ]:
        if names:
            subprocess.run([*command, *names], check=True)
    return python


class Session:
    """A shell in a new folder, which is ended together with everything it started."""

    def __init__(self, ghi, folder, packages, start=None):
        programs = folder / "programs"
        programs.mkdir()
        (programs / "ghi").symlink_to(ghi.resolve())
        self.home = folder / "home"
        self.home.mkdir()
        python = install(packages, folder, self.home)
        tools = server.TARGET / "tools/bin"
        # Lets Cargo reuse its downloads.
        rust = {name: os.environ.get(name, Path.home() / place) for name, place in RUST.items()}
        installed = self.home / "installed"
        # Only these variables, so that the machine's settings don't affect the output.
        path = f"{installed}/bin:{programs}:{python}:{tools}:{os.environ['PATH']}"
        self.shell = subprocess.Popen(
            ["bash"],
            cwd=start or self.home,
            env={
                "PATH": path,
                "HOME": str(self.home),
                "LC_ALL": "C.UTF-8",
                "CARGO_INSTALL_ROOT": str(installed),
                **{name: str(place) for name, place in rust.items()},
                **{name: os.environ[name] for name in COMPILER_SETTINGS if name in os.environ},
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
        """Runs a command. Returns its output, line by line, and its exit code."""
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
        # `printf` starts a new line, which leaves an empty line if the command has ended its last one.
        return printed if printed[-1] else printed[:-1], code

    def start(self, command):
        """Runs a server in the background. Returns its log once it matches."""
        log = self.home / f".log-{command.line}"
        # Removes what an earlier server has written.
        log.write_text("")
        self.run(f"{command.text.removesuffix('&')} >{log} 2>&1 &")
        give_up = time.monotonic() + START_SECONDS
        printed = []
        while time.monotonic() < give_up and not command.matches(printed):
            time.sleep(0.02)
            printed = log.read_text().splitlines()
        return printed

    def check(self, command):
        """Returns the problem with a command, if any."""
        if command.text.endswith("&") or any("listens on" in line for line in command.shown):
            printed, code = self.start(command), 0
        else:
            printed, code = self.run(command.text)
        at = f"line {command.line}: $ {command.text}\n"
        if not command.matches(printed):
            return at + command.difference(printed)
        return at + f"exit code {code}" if code else None

    def place(self, code):
        """Writes code to its file. Returns a problem if it differs from the project's file of that name."""
        original = server.ROOT / code.name
        if not original.exists():
            (self.home / code.name).write_text(code.text)
        elif code.text not in original.read_text():
            return f"line {code.line}: this code is not in {code.name}"
        return None


def tour(name, ghi):
    """Runs a document."""
    document = (server.ROOT / name).read_text()
    packages, all_parts = PACKAGES.findall(document), parts(document)
    set_up, steps = all_parts[: len(SET_UP)], all_parts[len(SET_UP) :]
    assert [part.text for part in set_up] == SET_UP, f"{name} does not start with the build commands"
    started = time.monotonic()
    wrong = []
    with tempfile.TemporaryDirectory() as folder, Session(ghi, Path(folder), packages) as session:
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
