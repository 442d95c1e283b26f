#!/usr/bin/env python3
"""Checks that every client command stays within 100 MB and 60 s with hostile servers and endless input.

    python3 checks/hostile_servers.py [--ghi BINARY]

Takes a few minutes. Memory is the largest resident set of the process; everything stays on 127.0.0.1.
"""

import http.server
import itertools
import os
import resource
import subprocess
import sys
import threading
import time

from server import arguments

MEMORY_MAX_MB = 100
SECONDS_MAX = 60
WORKERS = 8
MIB = 1 << 20
# Just below the size limit of a document.
LARGE = 8 * MIB - 4096

HEAD = '"version":"1.1","timestamp_utc":"2026-11-15T12:00:00Z","engine_sandbox_version":"1-sandbox"'
GLOBAL = '"global_min_cost_usd":1,"global_avg_cost_usd":2,"global_max_cost_usd":3'
COSTS = '"min_cost_usd":{0},"avg_cost_usd":{0},"max_cost_usd":{0}'


def document(fields, entry, size=LARGE, array="added"):
    """Returns a document with these fields and an array that fills it up to the limit."""
    yield f'{{{HEAD},{fields},"{array}":['
    piece = ",".join([entry] * max(1, 65_536 // len(entry)))
    for _ in range(size // len(piece) - 1):
        yield piece + ","
    yield f"{piece}]}}"


def snapshot(cost="1", size=LARGE, name=""):
    first = f'{{"id":"{"i" * 500}","name":"x","region_id":"","currency":"",{COSTS.format(cost)}}},'
    entry = f'{{"id":"","name":"{name}","region_id":"","currency":"",{COSTS.format("1")}}}'
    pieces = document(f'"region_count":1,{GLOBAL}', entry, size, "regions")
    return itertools.chain([next(pieces), first], pieces)


def endless():
    while True:
        yield " " * 65_536


NETWORK = '"hashrate_eh":1,"difficulty":1,"avg_fee_usd":1'
# The body of each attack, by the path it is served under.
BODIES = {
    "endless": endless,
    "tree-of-60-mib": lambda: document(f"{NETWORK},{GLOBAL}", "[]", 60 * MIB),
    "tree": lambda: document(f"{NETWORK},{GLOBAL}", "[]"),
    "quotes": lambda: document(f"{NETWORK},{GLOBAL}", '""'),
    "lines": lambda: document(f"{NETWORK},{GLOBAL}", "\n0"),
    "regions": snapshot,
    "tiny-costs": lambda: snapshot("5e-324"),
    "huge-costs": lambda: snapshot("1.7e308"),
    "escapes": lambda: snapshot(name="\\u001b" * 40),
    "registry": lambda: document('"region_count":1', '{"id":"","name":""}', array="regions"),
    "points": lambda: document(
        '"region_id":"global"', f'{{"date":"","currency":"",{COSTS.format("1")}}}', array="points"
    ),
    "strings": lambda: document('"environment":"","api_current":"","available_endpoints":[]', '""', array="api_supported"),
    "cells": lambda: [",".join([""] * LARGE)],
    "parts": lambda: document(GLOBAL, '{"region_id":"a","hashrate_share_pct":1}', array="parts"),
}


class Hostile(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        attack = self.path.split("/")[1]
        try:
            self.attack(attack)
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.close_connection = True

    do_HEAD = do_OPTIONS = do_POST = do_PUT = do_DELETE = do_PATCH = do_GET

    def attack(self, attack):
        if attack == "silent":
            time.sleep(SECONDS_MAX)
        elif attack == "drip":
            self.head("200 OK")
            for _ in range(2 * SECONDS_MAX):
                self.wfile.write(b" ")
                time.sleep(0.5)
        elif attack == "busy":
            time.sleep(9)
            self.head("503 Service Unavailable", "Retry-After: 9\r\nContent-Length: 0\r\n")
        elif attack == "long-error":
            self.head("500 Internal Server Error", "Content-Type: application/problem+json\r\n")
            for piece in document('"code":"x"', "[]", 60 * MIB):
                self.wfile.write(piece.encode())
        else:
            self.head("200 OK", "Content-Type: application/json\r\n")
            for piece in BODIES[attack]():
                self.wfile.write(piece.encode())

    def head(self, status, headers=""):
        self.wfile.write(f"HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n".encode())

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1024

    def handle_error(self, *_):
        pass


START = (
    b'{"jsonrpc":"2.0","id":"start","method":"initialize","params":{"protocolVersion":"2025-06-18",'
    b'"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}\n'
)


def calls(tools, copies):
    """Returns lines for `ghi mcp`: a session with this many calls of each tool."""
    yield START
    for number, tool in enumerate(list(tools) * copies):
        given = '{"id":"us"}' if tool == "region" else "{}"
        yield (
            f'{{"jsonrpc":"2.0","id":{number},"method":"tools/call",'
            f'"params":{{"name":"{tool}","arguments":{given}}}}}\n'
        ).encode()


def long_line():
    for _ in range(300):
        yield b"x" * MIB
    yield b"\n"


def wide_parameters():
    """Returns requests of almost 64 KiB each."""
    yield START
    padding = ",".join(["[]"] * 20_000)
    for number in range(40):
        yield (
            f'{{"jsonrpc":"2.0","id":{number},"method":"tools/call",'
            f'"params":{{"name":"network","arguments":{{}},"added":[{padding}]}}}}\n'
        ).encode()


SLOW = ["silent", "drip", "busy"]
TOOLS = [
    "snapshot", "history", "region", "regions", "network", "forecast", "metadata", "explain", "cost_curve", "economics",
]
DOCUMENTS = ["snapshot", "regions", "region us", "history", "network", "metadata"]
# For charts with the maximum width.
WIDE = {"COLUMNS": "400", "LC_ALL": "C.UTF-8"}


def runs():
    """Yields the commands, each with its standard input."""
    for attack in [*SLOW, "long-error", *BODIES]:
        copies = 1 if attack in SLOW else 3
        yield f"mcp --url {{{attack}}}", calls(TOOLS, copies)
        yield f"health {{{attack}}}", ()
        for name in DOCUMENTS:
            yield f"show {name} --url {{{attack}}}", ()
            yield f"show {name} --format csv --url {{{attack}}}", ()
            yield f"show {name} --format json --url {{{attack}}}", ()
        yield f"show history --from 2026-11-01 --url {{{attack}}}", ()
        yield f"show history --plot --url {{{attack}}}", ()
        yield f"show regions --plot --url {{{attack}}}", ()
        yield f"check {{{attack}}}", ()
    yield "mcp", long_line()
    yield "mcp", calls(TOOLS, 500)
    yield "mcp --url {regions}", wide_parameters()


def is_one_call(line):
    """Returns whether the time limit applies to the command as a whole."""
    return not line.startswith("mcp") or any(slow in line for slow in SLOW)


def run(ghi, base, line, stdin):
    """Returns peak memory in MB and seconds of a command, which is killed after twice the limit."""
    words = line.replace("{", f"{base}/").replace("}", "").split()
    child = subprocess.Popen(
        [ghi, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **WIDE},
    )
    began = time.monotonic()
    timer = threading.Timer(2 * SECONDS_MAX, child.kill)
    timer.start()

    def feed():
        try:
            for piece in stdin:
                child.stdin.write(piece)
            child.stdin.close()
        except BrokenPipeError:
            pass

    feeder = threading.Thread(target=feed)
    feeder.start()
    _, _, usage = os.wait4(child.pid, 0)
    timer.cancel()
    child.returncode = 0
    feeder.join()
    return usage.ru_maxrss / 1024, time.monotonic() - began


def main():
    given = arguments(__doc__, only="")
    server = Server(("127.0.0.1", 0), Hostile)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    # Commands that wait for a server run in parallel.
    lines = sorted(runs(), key=lambda run: not any(slow in run[0] for slow in SLOW))
    lines = [run for run in lines if given.only in run[0]]
    results = []
    lock = threading.Lock()
    queue = iter(lines)

    def work():
        while True:
            with lock:
                line, stdin = next(queue, (None, ()))
            if line is None:
                return
            results.append((line, *run(given.ghi, base, line, stdin)))

    workers = [threading.Thread(target=work) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    failed = [
        f"{line}: {memory:.0f} MB, {seconds:.0f} s"
        for line, memory, seconds in results
        if memory > MEMORY_MAX_MB or seconds > SECONDS_MAX and is_one_call(line)
    ]
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(results)} runs; at most {max(memory for _, memory, _ in results):.0f} MB "
          f"and {max(seconds for _, _, seconds in results):.0f} s (this script: {own:.0f} MB)")
    for command in ["mcp", "show", "health", "check"]:
        of = [result for result in results if result[0].startswith(command)]
        if of:
            print(f"  {command}: {max(m for _, m, _ in of):.0f} MB, {max(s for _, _, s in of):.0f} s")
    if failed:
        sys.exit("\n".join(["over the limits:", *failed]))


if __name__ == "__main__":
    main()
