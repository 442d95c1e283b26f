#!/usr/bin/env python3
"""Every command of README.md works as it stands there, and so does every snippet of code.

    target/venv/bin/python checks/front_door.py

Needs what `.ci/setup` installs; takes three minutes, most of it to install the command. As in `tour.py`, blocks of
commands show what they print, and code stands word for word in the file that its first line names. Each such file is
run as well, and must print what the others print. Commands within the text are run in the project's folder: a
server must start, anything else must succeed.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tour
from server import ROOT, TARGET, arguments

# What a reader runs and CI runs on its own.
RUN_ELSEWHERE = {"cargo test --workspace": ROOT / ".ci/run"}
# How a reader runs a file of code; TypeScript is compiled to where it finds its types.
RUN = {
    ".py": "python {file}",
    ".mts": "checks/clients/node_modules/.bin/tsc --strict --target es2022 --module nodenext --types node --typeRoots checks/clients/node_modules/@types"
    " --outDir {out} {file} && node {out}/{stem}.mjs",
    ".rs": "cargo run --quiet --example {stem}",
}
SERVERS = re.compile(r"ghi( serve)?( --(?!help)|$)")


def run_code(session, code, out):
    """What a file of code prints."""
    file = Path(code.name)
    printed, status = session.run(RUN[file.suffix].format(file=file, stem=file.stem, out=out))
    assert not status, f"{code.name} fails:\n" + "\n".join(printed)
    return printed


def starts(session, text):
    """Whether a server starts; it is stopped again."""
    command = tour.Command(0, f"{text} &")
    command.shown = ["...", "... listens on ...", "..."]
    printed = session.start(command)
    session.run("kill %% && wait")
    assert command.matches(printed), f"`{text}` does not start:\n" + "\n".join(printed)


def main():
    ghi = arguments(__doc__).ghi
    text = (ROOT / "README.md").read_text()
    parts = tour.parts(text)
    blocks = [part for part in parts if isinstance(part, tour.Command)]
    files = [part for part in parts if isinstance(part, tour.Code)]
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`((?:ghi|cargo) [^`]+)`", prose)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, tour.Session(ghi, Path(folder), ROOT) as session:
        wrong, outputs = [], {}
        for part in blocks:
            if elsewhere := RUN_ELSEWHERE.get(part.text):
                assert part.text in elsewhere.read_text(), f"{elsewhere.name} does not run `{part.text}`"
            else:
                wrong.append(session.check(part))
        for code in files:
            wrong.append(session.place(code))
            outputs[code.name] = run_code(session, code, folder)
        wrong = list(filter(None, wrong))
        assert not wrong, "\n\n".join(["README.md: - is shown, + is printed", *wrong])
        assert len(set(map(tuple, outputs.values()))) == 1, f"they print different things: {outputs}"
        # The server of the blocks has the port that others want.
        session.run("kill %% && wait")
        for command in inline:
            if SERVERS.match(command):
                starts(session, command)
            else:
                printed, status = session.run(f"{command} </dev/null")
                assert not status, f"`{command}` fails:\n" + "\n".join(printed)
    count = f"{len(blocks)} commands in blocks, {len(files)} files and {len(inline)} commands in the text"
    print(f"README.md: {count} do what it says, in {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(str(error))
