#!/usr/bin/env python3
"""Checks that groff formats every manual page without warnings, in 80 columns.

    python3 checks/manual.py [--ghi BINARY]
"""

import subprocess

from server import arguments

GROFF = ["groff", "-man", "-ww", "-Tutf8", "-rLL=80n"]


def printed(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not done.stderr, f"{command}: {done.stderr}"
    return done.stdout


def check(ghi, *names):
    """Checks the pages of a command and its subcommands. Returns their number."""
    page = printed(ghi, "man", *names)
    done = subprocess.run(GROFF, input=page, capture_output=True, text=True, check=True)
    assert not done.stderr, f"{names}: {done.stderr}"
    title = "-".join(["ghi", *names])
    assert f"{title}(1)" in done.stdout, done.stdout
    # This page names the pages of its subcommands.
    prefix = f"{title}-".replace("-", r"\-")
    below = [line for line in page.splitlines() if line.startswith(prefix) and line.endswith("(1)")]
    return 1 + sum(check(ghi, *names, line.removeprefix(prefix).removesuffix("(1)")) for line in below)


def main():
    ghi = str(arguments(__doc__).ghi)
    pages = check(ghi)
    assert pages > 5, pages
    print(f"{pages} manual pages")


if __name__ == "__main__":
    main()
