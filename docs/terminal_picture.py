#!/usr/bin/env python3
"""Draws docs/terminal.svg: the output of `ghi show history --plot` and of `ghi check`, as a terminal shows it.

    python3 docs/terminal_picture.py [--ghi BINARY]

Dots and lines are drawn as shapes, because fonts differ in the width of those characters.
"""

import os
import subprocess
import sys
from html import escape
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.append(str(DOCS.parent / "checks"))
from server import Server, arguments  # noqa: E402

AT = "2026-11-15T12:00:00Z"
COLUMNS = 80
# The size of a character, and the space around the text, pixels.
WIDTH, HEIGHT, MARGIN = 8.4, 18, 20
# How many of the rules that `ghi check` prints are shown before the verdict.
RULES = 5
# The dots of a braille character, by bit: column and row.
DOTS = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]
# Lines from the middle of a box-drawing character: left, right, up, down.
LINES = {"─": "lr", "│": "ud", "┤": "lud", "└": "ru", "┊": "ud"}
ENDS = {"l": (-0.5, 0), "r": (0.5, 0), "u": (0, -0.5), "d": (0, 0.5)}


def printed(ghi, *command):
    variables = {**os.environ, "COLUMNS": str(COLUMNS), "LC_ALL": "C.UTF-8", "NO_PROXY": "*"}
    found = subprocess.run([ghi, *command], env=variables, check=True, capture_output=True, text=True)
    return found.stdout.rstrip().splitlines()


def screen(ghi):
    """Returns the lines of the terminal. Those with a command start with `$`."""
    chart = printed(ghi, "show", "history", "--plot", "--at", AT)
    with Server(ghi, 0, "--at", AT) as server:
        rules = printed(ghi, "check", f"http://127.0.0.1:{server.port}")
    more = f"...  {len(rules) - RULES - 2} more"
    return [
        f"$ ghi show history --plot --at {AT}",
        *chart,
        "",
        "$ ghi check http://127.0.0.1:8000",
        *rules[:RULES],
        more,
        "",
        rules[-1],
    ]


def drawn(line, row):
    """Returns the shapes of a line of text."""
    y = MARGIN + row * HEIGHT
    dots, strokes, shapes, word = "", "", [], ""
    for column, character in enumerate(line + " "):
        x = MARGIN + column * WIDTH
        is_text = character not in LINES and not "\u2800" <= character <= "\u28ff" and character != " "
        if is_text:
            word += character
            continue
        if word:
            style = "command" if line.startswith("$ ") else "text"
            start = x - len(word) * WIDTH
            length = f'textLength="{len(word) * WIDTH:.1f}"'
            shapes.append(f'<text class="{style}" x="{start:.1f}" y="{y + HEIGHT * 0.75:.1f}" {length}>{escape(word)}</text>')
            word = ""
        if character in LINES:
            middle = x + WIDTH / 2, y + HEIGHT / 2
            for end in LINES[character]:
                to = ENDS[end][0] * WIDTH, ENDS[end][1] * HEIGHT
                strokes += f"M{middle[0]:.1f} {middle[1]:.1f}l{to[0]:.1f} {to[1]:.1f}"
        elif character != " ":
            for bit, (across, down) in enumerate(DOTS):
                if ord(character) >> bit & 1:
                    dots += f"M{x + (across + 0.5) * WIDTH / 2:.1f} {y + (down + 0.5) * HEIGHT / 4:.1f}h0"
    shapes += [f'<path class="line" d="{strokes}"/>'] if strokes else []
    return shapes + ([f'<path class="dots" d="{dots}"/>'] if dots else [])


def main():
    lines = screen(arguments(__doc__).ghi)
    width, height = 2 * MARGIN + COLUMNS * WIDTH, 2 * MARGIN + len(lines) * HEIGHT
    shapes = "\n".join(shape for row, line in enumerate(lines) for shape in drawn(line, row))
    (DOCS / "terminal.svg").write_text(
        f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-labelledby="title">
<title id="title">A terminal: a chart of seven days of costs, and a server that follows every rule of the contract</title>
<style>
text {{ font: 14px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d7dce2 }}
.command {{ fill: #7fd1a0 }}
.line {{ stroke: #6b7683; fill: none }}
.dots {{ stroke: #f0b35a; stroke-width: 2.4; stroke-linecap: round }}
</style>
<rect width="100%" height="100%" rx="8" fill="#16191d"/>
{shapes}
</svg>
"""
    )
    print(f"docs/terminal.svg: {len(lines)} lines")


if __name__ == "__main__":
    main()
