#!/usr/bin/env python3
"""Measures pages, charts and tables, and a document of the API in the same run.

    python3 bench/pages.py

Needs wrk; builds a release first. One connection requests each path from a server with one worker.
"""

import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
BASE = "http://127.0.0.1:18340"
PATHS = [
    "/v1/ghi/snapshot",
    "/",
    "/charts/history.svg",
    "/charts/regions.svg",
    "/export/history.csv",
    "/export/snapshot.csv",
    "/openapi.json",
]


def memory(process):
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) / 1000


def measure(path):
    with urllib.request.urlopen(BASE + path) as answer:
        size = len(answer.read())
    command = ["wrk", "-t1", "-c1", "-d3s", "--latency", BASE + path]
    report = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    latency = {}
    for percent in ["50", "99"]:
        value, unit = re.search(rf"{percent}%\s+([\d.]+)(us|ms)", report).groups()
        latency[percent] = float(value) / (1000 if unit == "us" else 1)
    return size, latency["50"], latency["99"]


def main():
    subprocess.run(["cargo", "build", "--locked", "--release", "--quiet"], cwd=ROOT, check=True)
    binary = TARGET / "release/ghi"
    command = [binary, "--listen", BASE.removeprefix("http://"), "--workers", "1"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        if "listens" not in (greeting := server.stderr.readline()):
            sys.exit(greeting)
        print(f"binary {binary.stat().st_size / 1e6:.1f} MB, idle {memory(server):.1f} MB\n")
        print("| path | bytes | p50 ms | p99 ms |\n|---|---:|---:|---:|")
        for path in PATHS:
            size, p50, p99 = measure(path)
            print(f"| `{path}` | {size:,} | {p50:.3f} | {p99:.3f} |")
        print(f"\nafterwards {memory(server):.1f} MB")
    finally:
        server.kill()


if __name__ == "__main__":
    main()
