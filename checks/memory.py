#!/usr/bin/env python3
"""Checks that memory stays bounded: after large responses were read, while clients do not read them, and over rounds
of slow and resetting clients.

    python3 checks/memory.py [--short] [--ghi BINARY]

Takes about a minute, or half of that with --short, which has fewer rounds. Memory is the resident set of the process.
"""

import socket
import sys
import tempfile
import time

import server
from server import Server, cpu_seconds, inputs, read_answer, request, reset

PORT = 18320
GZIP = "Accept-Encoding: gzip"
READ = {
    "/assets/reference.js": (),
    "/v1/ghi/snapshot": (),
    "/v1/ghi/snapshot, gzip": (GZIP,),
}
UNREAD = {
    **READ,
    "/metrics": (),
    "/export/snapshot.csv": (),
    "/export/snapshot.csv, gzip": (GZIP,),
    "/": (),
}
PIPELINED = {"/v1/ghi/snapshot": (), "/metrics": ()}
CLIENTS_THAT_READ = 300
REQUESTS_UNREAD = 1000
ROUNDS, SHORT_ROUNDS = 12, 5
SLOW = 2000
RESETS = 5000
READ_BOUND_MB = 15
UNREAD_BOUND_MB = 60
ROUNDS_BOUND_MB = 60
NOISE_MB = 1

failures = []


def judge(holds, sentence):
    if not holds:
        failures.append(sentence)
    return "" if holds else "  TOO MUCH"


def until(condition, what):
    deadline = time.monotonic() + 15
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def bases(running, message):
    """Returns the memory at startup, and of the warm process, after one response was read and closed."""
    cold = running.memory_mb()
    idle = running.descriptors()
    with running.connect() as client:
        client.sendall(message)
        status, size = read_answer(client)
        assert status == 200, f"got {status}"
    until(lambda: running.descriptors() <= idle, "a closed connection stays open")
    return cold, running.memory_mb(), size


def highest(running, clients):
    """Returns the peak memory after all requests, until the server has been idle for a while."""
    for client in clients:
        client.setblocking(True)
        try:
            client.recv(1, socket.MSG_PEEK)
        except ConnectionResetError:
            pass  # The server may disconnect clients that do not read.
    most, used, idle = 0.0, 0.0, 0
    while idle < 25:
        most = max(most, running.memory_mb())
        now = cpu_seconds(running.pid)
        used, idle = (now, 0) if now > used + 0.005 else (used, idle + 1)
        time.sleep(0.02)
    return most


def read_and_stay(running, message):
    clients = [running.connect() for _ in range(CLIENTS_THAT_READ)]
    for client in clients:
        client.sendall(message)
    for client in clients:
        assert read_answer(client)[0] == 200
    return clients


def ask_and_never_read(running, message):
    clients = [running.connect(receive_buffer=4096) for _ in range(REQUESTS_UNREAD)]
    for client in clients:
        client.sendall(message)
    return clients


def pipeline_and_never_read(running, message):
    clients = [running.connect(receive_buffer=4096) for _ in range(4)]
    for client in clients:
        client.setblocking(False)
        # Ignore data that cannot be sent: the server has stopped reading.
        client.send(message * (REQUESTS_UNREAD // 4))
    return clients


def large_answers(ghi, file):
    cases = [
        (read_and_stay, READ, READ_BOUND_MB),
        (ask_and_never_read, UNREAD, UNREAD_BOUND_MB),
        (pipeline_and_never_read, PIPELINED, UNREAD_BOUND_MB),
    ]
    print("| clients | response | bytes | at start, MB | idle, MB | peak, MB | above idle, MB | limit |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for clients, answers, bound in cases:
        for name, headers in answers.items():
            message = request(name.split(",")[0], *headers)
            # A new process each time, so that the measurements are independent.
            with Server(ghi, PORT, "--inputs", file) as running:
                cold, warm, size = bases(running, message)
                open_clients = clients(running, message)
                most = highest(running, open_clients) if bound == UNREAD_BOUND_MB else running.memory_mb()
                running.assert_alive()
                for client in open_clients:
                    reset(client)
            what = f"{clients.__name__.replace('_', ' ')} {name}"
            over = most - warm
            verdict = judge(over <= bound, f"{what}: {over:.1f} MB above idle")
            print(
                f"| {clients.__name__.replace('_', ' ')} | {name} | {size:,} | {cold:.1f} "
                f"| {warm:.1f} | {most:.1f} | {over:.1f} | {bound} |{verdict}",
                flush=True,
            )


def abuse(running):
    """Runs one round of slow clients, while others reset their connections in the middle of a response."""
    large = [request(path) for path in ("/v1/ghi/snapshot", "/assets/reference.js", "/", "/openapi.json")]
    slow = []
    for number in range(SLOW):
        client = running.connect(receive_buffer=4096)
        if number % 3 == 1:
            client.sendall(b"GET /v1/ghi/snapshot HTTP/1.1\r\nHost: ch")
        elif number % 3 == 2:
            client.sendall(large[number % len(large)])
        slow.append(client)
    for number in range(RESETS):
        client = running.connect(receive_buffer=4096)
        client.sendall(large[number % len(large)])
        client.recv(100)
        reset(client)
    for number, client in enumerate(slow):
        if number % 2:
            reset(client)
        else:
            client.close()


def rounds(ghi, count, *flags):
    print(f"\n{count} rounds of {SLOW:,} slow clients and {RESETS:,} resets, memory after each in MB")
    with Server(ghi, PORT, *flags) as running:
        idle = running.descriptors()
        print(f"at start {running.memory_mb():.1f}; after the rounds", end="", flush=True)
        after = []
        for _ in range(count):
            abuse(running)
            until(lambda: running.descriptors() <= idle, "connections are left open")
            running.assert_alive()
            after.append(running.memory_mb())
            print(f" {after[-1]:.1f}", end="", flush=True)
        last, third = after[-1], after[2]
        rises = f"memory rises from {third:.1f} to {last:.1f} MB after the third round"
        print(judge(last <= third + NOISE_MB, rises), end="")
        if not flags:
            print(judge(last < ROUNDS_BOUND_MB, f"memory is {last:.1f} MB after {count} rounds"), end="")
        print(flush=True)


def main():
    given = server.arguments(__doc__, short=False)
    server.raise_descriptor_limit()
    with tempfile.TemporaryDirectory() as folder:
        file = inputs(folder)
        large_answers(given.ghi, file)
        rounds(given.ghi, SHORT_ROUNDS if given.short else ROUNDS)
        if not given.short:
            rounds(given.ghi, ROUNDS, "--inputs", file)
    if failures:
        sys.exit("\n".join(failures))
    print("bounded")


if __name__ == "__main__":
    main()
