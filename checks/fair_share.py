#!/usr/bin/env python3
"""Checks that one client cannot starve the others: with slow requests, with responses that it
never reads, or with scenarios. Uses 10,000 regions and one worker.

    python3 checks/fair_share.py [--ghi BINARY]

An idle server is polled alternately with the one under attack, to measure how busy the machine
is. Takes about 30 seconds.
"""

import http.client
import sys
import tempfile
import threading
import time

import server
from server import Server, inputs, request

REGIONS = 10_000
ATTACKER, OTHER = "203.0.113.1", "203.0.113.2"
ATTACK_S = 2
TIMEOUT_S = 20
CONNECTIONS = 10
READERS = 400
MEMORY_BOUND_MB = 60
POLL_BOUND_MS = 50

# The most expensive requests, made unique with {n}.
SLOW = {
    "6,000 commas in compare": "/?compare=" + "," * 5900,
    "a page of other regions": "/?compare=r1,r2&sort=-avg&find=region&overhead=1.{n}",
    "a year": "/?range=1y&sort=name&page={n}",
    "explanations of other days": "/export/explain.json?date=2024-01-{n:02}",
    "pages of other days": "/explain?date=2024-02-{n:02}",
    "long ranges": "/export/history.csv?from=2017-01-{n:02}",
    "charts of regions": "/charts/history.svg?region_id=r{n}&range=1y",
    "pages of regions": "/regions/r{n}?range=1y",
}
UNREAD = {
    "/export/explain.json?date=": "/export/explain.json?date=2024-01-01",
    "/export/explain.csv?date=, gzip": "/export/explain.csv?date=2024-01-01",
    "/export/history.csv?from=": "/export/history.csv?from=2017-01-01",
    "/?overhead=": "/?overhead=1.5&range=1y",
}

failures = []


def judge(holds, sentence):
    if not holds:
        failures.append(sentence)
    return "" if holds else "  FAILS"


def ask(port, path, client, *headers):
    """Returns the status of the response, or None if it does not arrive in time."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
    fields = {"X-Forwarded-For": client, **dict(header.split(": ", 1) for header in headers)}
    try:
        connection.request("GET", path, headers=fields)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def attack(running, target, stop):
    """Repeats the request over one connection, and reads each response."""
    number = 0
    while not stop.is_set():
        try:
            with running.connect() as client:
                while not stop.is_set():
                    number = number % 28 + 1
                    client.sendall(request(target.format(n=number), f"X-Forwarded-For: {ATTACKER}"))
                    client.settimeout(0.5)
                    while client.recv(65536) and not stop.is_set():
                        pass
        except OSError:
            pass


def poll(what, running, idle, seconds):
    """Polls both servers alternately, and compares their 99th percentiles. Returns a summary."""
    connections = [http.client.HTTPConnection("127.0.0.1", each.port, timeout=TIMEOUT_S) for each in (running, idle)]
    took, unanswered = ([], []), 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for connection, times in zip(connections, took):
            started = time.monotonic()
            try:
                connection.request("GET", "/healthz", headers={"X-Forwarded-For": OTHER})
                answer = connection.getresponse()
                answer.read()
                is_answered = answer.status == 200
            except (OSError, http.client.HTTPException):
                is_answered = False
                connection.close()  # The next request reopens it.
            unanswered += not is_answered
            times.append(1000 * (time.monotonic() - started))
    slowest, control = (sorted(times)[len(times) * 99 // 100] for times in took)
    word = judge(not unanswered, f"{what}: {unanswered} polls got no response")
    word += judge(slowest < POLL_BOUND_MS + 3 * control, f"{what}: a poll takes {slowest:.0f} ms, idle {control:.0f}")
    return f"{len(took[0])} polls, {unanswered} without a response, p99 {slowest:.1f} ms (idle server {control:.1f}){word}"


def slow_requests(running, idle):
    print(f"{CONNECTIONS} connections of one client send requests while another client polls:")
    for what, target in SLOW.items():
        stop = threading.Event()
        threads = [threading.Thread(target=attack, args=(running, target, stop)) for _ in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        polls = poll(what, running, idle, ATTACK_S)
        stop.set()
        for thread in threads:
            thread.join()
        print(f"  {what}: {polls}", flush=True)


def unread_responses(running, idle):
    print(f"{READERS} clients that never read:")
    for what, target in UNREAD.items():
        before = running.memory_mb()
        clients = []
        for number in range(READERS):
            client = running.connect(receive_buffer=4096)
            gzip = ["Accept-Encoding: gzip"] if "gzip" in what else []
            client.sendall(request(target, f"X-Forwarded-For: 198.51.100.{number % 250}", *gzip))
            clients.append(client)
        polls = poll(what, running, idle, 2)
        grown = running.memory_mb() - before
        word = judge(grown < MEMORY_BOUND_MB, f"{what}: {grown:.0f} MB more")
        print(f"  {what}: +{grown:.1f} MB{word}; {polls}", flush=True)
        for client in clients:
            client.close()
        time.sleep(1)


def scenarios(running):
    print("one client requests scenarios:")
    waiting = []
    for _ in range(2000):
        client = running.connect()
        client.sendall(request("/v1/ghi/network", f"X-Forwarded-For: {ATTACKER}", "Prefer: delay=10000"))
        waiting.append(client)
    statuses = [ask(running.port, "/v1/ghi/network", OTHER, "Prefer: delay=1") for _ in range(10)]
    word = judge(statuses == [200] * 10, f"delays of another client: {statuses}")
    print(f"  with 2,000 delays: another client gets {statuses.count(200)} of 10 delays{word}")
    for client in waiting:
        client.close()
    stop = threading.Event()

    def days():
        for number in range(10_000):
            if stop.is_set():
                return
            day = f"at={1970 + number // 12 % 8000}-{number % 12 + 1:02}-01T00:00:00Z"
            ask(running.port, "/v1/ghi/network", ATTACKER, f"Prefer: {day}")

    thread = threading.Thread(target=days)
    thread.start()
    time.sleep(0.5)
    statuses = []
    for number in range(3):
        statuses.append(ask(running.port, "/v1/ghi/network", OTHER, f"Prefer: at=201{number}-05-05T00:00:00Z"))
        time.sleep(1.1)
    stop.set()
    thread.join()
    word = judge(statuses == [200] * 3, f"days of another client: {statuses}")
    print(f"  with many days: another client gets {statuses.count(200)} of 3 days{word}")


def main():
    ghi = server.arguments(__doc__).ghi
    server.raise_descriptor_limit()
    with tempfile.TemporaryDirectory() as folder:
        flags = ["--workers", 1, "--trusted-proxy", "127.0.0.1", "--rate-limit", 0]
        file = inputs(folder, REGIONS)
        with Server(ghi, 0, "--inputs", file, *flags) as running, Server(ghi, 0, "--workers", 1) as idle:
            for _ in range(2):
                ask(running.port, "/", OTHER)
            slow_requests(running, idle)
            unread_responses(running, idle)
            scenarios(running)
            running.assert_alive()
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
