#!/usr/bin/env python3
"""Builds the binary for distribution, optimized with a profile of real requests: target/dist/ghi.

    python3 deploy/optimize.py

The first build counts how often each piece of code runs, a load of small requests produces the counts, and the
second build uses them. It takes less CPU per request than `cargo static`: see docs/performance.md. The counts
differ from run to run, and so do the bytes of the binary.
"""

import os
import shutil
import socket
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET_DIR = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
FOLDER = TARGET_DIR / "optimize"
CONNECTIONS = 32
ROUNDS = 100
PATHS = [
    "/v1/ghi/snapshot",
    "/v1/ghi/history",
    "/v1/ghi/history?region_id=us",
    "/v1/ghi/regions",
    "/v1/ghi/regions/us",
    "/v1/ghi/network",
    "/v1/ghi/forecast?forecast_days=30",
    "/v1/ghi",
]
# The headers of simple clients, of clients that accept compression, and of those that have the document.
HEADERS = ["", "Accept: */*\r\nUser-Agent: client/1.0\r\nAccept-Encoding: gzip\r\n", 'If-None-Match: "other"\r\n']


def output(*command):
    return subprocess.run(list(map(str, command)), cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def build(target, flag):
    """Builds the static binary with a compiler flag."""
    flags = ["-C", "target-feature=+crt-static", "-C", flag]
    command = ["cargo", "build", "--locked", "--release", "--target", target, "--target-dir", FOLDER]
    output(*command, "--config", f"build.rustflags={flags}")
    return FOLDER / target / "release/ghi"


def receive(connection):
    """Reads one response."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, body = data.split(b"\r\n\r\n", 1)
    length = next(int(line[16:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length: "))
    while len(body) < length:
        body += connection.recv(65536)


def train(ghi):
    """Sends every request on every connection, many times, and stops the server."""
    server = subprocess.Popen([ghi, "--listen", "127.0.0.1:0", "--workers", "1"], stderr=subprocess.PIPE, text=True)
    while "listens on " not in (line := server.stderr.readline()):
        assert line, "the server did not start"
    host, port = line.split("listens on ")[1].split(";")[0].split(":")
    connections = [socket.create_connection((host, int(port))) for _ in range(CONNECTIONS)]
    for _ in range(ROUNDS):
        for path in PATHS:
            for headers in HEADERS:
                request = f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n{headers}\r\n".encode()
                for connection in connections:
                    connection.sendall(request)
                for connection in connections:
                    receive(connection)
    server.terminate()
    server.communicate()


def main():
    output("rustup", "component", "add", "llvm-tools")
    target = output("rustc", "--print", "host-tuple")
    counts, profile = FOLDER / "counts", FOLDER / "ghi.profdata"
    shutil.rmtree(counts, ignore_errors=True)
    train(build(target, f"profile-generate={counts}"))
    tools = Path(output("rustc", "--print", "sysroot"), "lib/rustlib", target, "bin")
    output(tools / "llvm-profdata", "merge", "-o", profile, counts)
    finished = TARGET_DIR / "dist/ghi"
    finished.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(build(target, f"profile-use={profile}"), finished)
    print(finished)


if __name__ == "__main__":
    main()
