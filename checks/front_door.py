#!/usr/bin/env python3
"""Checks that every command and every code snippet in README.md works as shown.

    target/venv/bin/python checks/front_door.py [--compile]

Needs the tools that `.ci/setup` installs. As in `tour.py`, command blocks show their output, and a code block is
identical to the file named on its first line. Each such file except tests is also run, and all must print the same.
Commands within the text run in the project's folder, with a new folder for `/tmp`: a server must start, any other command
must succeed.

To avoid compiling again, Cargo gets the same flags as in `.ci/run`. With --compile, it compiles as for a reader,
which takes five minutes.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tour
from server import ROOT, TARGET, arguments

# The packages of the examples.
PACKAGES = [("pip", "requests")]
# Commands that CI runs separately.
RUN_ELSEWHERE = {"cargo test --workspace": ROOT / ".ci/run"}
# How a reader runs each kind of file. TypeScript is compiled with the types it needs.
RUN = {
    ".py": "python {file}",
    ".mts": "checks/clients/node_modules/.bin/tsc --strict --target es2022 --module nodenext --types node --typeRoots checks/clients/node_modules/@types"
    " --outDir {out} {file} && node {out}/{stem}.mjs",
    ".rs": "cargo run --quiet --example {stem}",
}
# Replaces commands that would compile again what `cargo static` and `cargo test --workspace` have compiled.
COMPILED = {
    r"(cargo (?:run --release|install).*)": r"CARGO_BUILD_TARGET=host-tuple CARGO_BUILD_RUSTFLAGS='-C target-feature=+crt-static' \1",
    r"cargo run (?:--quiet )?--example (\w+)": r"cargo build --quiet --workspace --examples && target/debug/examples/\1",
}
# Ends a server at once. After SIGTERM, it would wait for load balancers to notice.
STOP = "kill -INT %% && wait"
SERVERS = re.compile(r"ghi( serve)?( --(?!help)|$)")


def without_compiling(command):
    for pattern, other in COMPILED.items():
        if found := re.fullmatch(pattern, command):
            return found.expand(other)
    return command


def run_code(session, code, out, shortened):
    """Runs a file of code and returns its output."""
    file = Path(code.name)
    printed, status = session.run(shortened(RUN[file.suffix].format(file=file, stem=file.stem, out=out)))
    assert not status, f"{code.name} fails:\n" + "\n".join(printed)
    return printed


def starts(session, text):
    """Requires that a server starts, and stops it."""
    command = tour.Command(0, f"{text} &")
    command.shown = ["...", "... listens on ...", "..."]
    printed = session.start(command)
    session.run(STOP)
    assert command.matches(printed), f"`{text}` does not start:\n" + "\n".join(printed)


def main():
    given = arguments(__doc__, compile=False)
    text = (ROOT / "README.md").read_text()
    parts = tour.parts(text)
    blocks = [part for part in parts if isinstance(part, tour.Command)]
    shortened = (lambda command: command) if given.compile else without_compiling
    files = [part for part in parts if isinstance(part, tour.Code)]
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`((?:ghi|cargo) [^`]+)`", prose)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, tour.Session(given.ghi, Path(folder), PACKAGES, ROOT) as session:
        wrong, outputs = [], {}
        for part in blocks:
            if elsewhere := RUN_ELSEWHERE.get(part.text):
                assert part.text in elsewhere.read_text(), f"{elsewhere.name} does not run `{part.text}`"
            else:
                part.text = shortened(part.text)
                wrong.append(session.check(part))
        for code in files:
            wrong.append(session.place(code))
            # `checks/packages.py` runs the tests.
            if not re.match(r"test_|.*\.test\.", Path(code.name).name):
                outputs[code.name] = run_code(session, code, folder, shortened)
        wrong = list(filter(None, wrong))
        assert not wrong, "\n\n".join(["README.md: - expected, + actual", *wrong])
        assert len(set(map(tuple, outputs.values()))) == 1, f"they print different things: {outputs}"
        # Stop the server of the blocks, because others need its port.
        session.run(STOP)
        for command in inline:
            if SERVERS.match(command):
                starts(session, command)
            else:
                printed, status = session.run(f"{shortened(command).replace('/tmp/', f'{folder}/')} </dev/null")
                assert not status, f"`{command}` fails:\n" + "\n".join(printed)
    count = f"{len(blocks)} commands in blocks, {len(files)} files and {len(inline)} commands in the text"
    print(f"README.md: {count} work as shown, in {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(str(error))
