#!/usr/bin/env python3
"""Checks that one client cannot starve the others: with responses rendered for it alone, with responses that it
never reads, or with scenarios. Uses one worker, and the largest network that inputs may have.

    python3 checks/fair_share.py [--built-in] [--clients 3] [--rate 250] [--ghi BINARY]

Three clients, each within its rate limit, send 250 requests a second together; another client polls. An idle server
is polled alternately, to measure how busy the machine is. Takes a minute; with --built-in, it repeats the
first part with the built-in inputs.
"""

import http.client
import multiprocessing
import sys
import tempfile
import threading
import time

import server
from server import Server, inputs, request

REGIONS = 256  # The most that inputs may have.
ATTACKER, OTHER = "127.0.0.2", "127.0.0.1"
ATTACK_S = 4
# A busy machine delays some polls.
ATTEMPTS = 3
TIMEOUT_S = 60
# Per attacker: as many as a browser opens for several sites.
CONNECTIONS = 16
READERS = 400
MEMORY_BOUND_MB = 60
POLL_BOUND_MS = 20

# The most expensive requests, made unique with {n}, and their header lines.
SLOW = {
    "a year with another price": ("/?range=1y&compare={others}&region_id={region}&price={n}", ""),
    "another search": ("/?find=zzq{n}", ""),
    "another price": ("/?price={n}", ""),
    "a year up to another day": ("/charts/history.svg?range=1y", "Prefer: at={day}"),
    "all years": ("/charts/history.svg?range=all&region_id={region}&theme=dark", ""),
    "6,000 commas in compare": ("/?compare=" + "," * 5900, ""),
    "a table of other regions": ("/?compare={others}&sort=-avg&find=r&overhead=1.{n}", ""),
    "explanations of other days": ("/export/explain.json?date={day}&since=2000-01-01", ""),
    "pages of other days": ("/explain?date={day}", ""),
    "pages of regions": ("/regions/{region}?range=1y", ""),
    "long tables": ("/export/history.csv?from={day}&region_id={region}", ""),
}
# Counted instead of a status.
NO_RESPONSE, WITHOUT_RETRY_AFTER = 0, 1
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
    return send(port, path, client, *headers)[0]


def send(port, path, client, *headers):
    """Returns the status and the headers of the response, or None and no headers if it does not arrive in time."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S, source_address=(client, 0))
    fields = dict(header.split(": ", 1) for header in headers)
    try:
        connection.request("GET", path, headers=fields)
        answer = connection.getresponse()
        answer.read()
        return answer.status, answer.headers
    except (OSError, http.client.HTTPException):
        return None, {}
    finally:
        connection.close()


def attack(port, client, number, rate, slow, regions, until, statuses):
    """Sends a client's share of the requests, each at its time unless all connections wait for a response."""
    lock, sent = threading.Lock(), [0]
    started = time.monotonic()

    def work():
        while True:
            with lock:
                sent[0] += 1
                unique = sent[0] * 10 + number
            time.sleep(max(0, started + unique // 10 / rate - time.monotonic()))
            if time.monotonic() > until:
                return
            day = f"20{10 + unique // 336 % 15}-{unique // 28 % 12 + 1:02}-{unique % 28 + 1:02}"
            names = {"n": unique, "day": day, "region": regions[unique % len(regions)], "others": ",".join(regions[1:3])}
            target, header = slow[unique // 10 % len(slow)]
            header_line = [header.format(**names)] if header else []
            status, headers = send(port, target.format(**names), client, *header_line)
            if status == 503 and not headers["Retry-After"]:
                status = WITHOUT_RETRY_AFTER
            with lock:
                statuses[status or NO_RESPONSE] += 1

    threads = [threading.Thread(target=work) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def poll(what, running, idle, seconds):
    """Polls both servers alternately, and compares their 99th percentiles. Returns a summary, and what is wrong if any."""
    open_one = lambda each: http.client.HTTPConnection(
        "127.0.0.1", each.port, timeout=TIMEOUT_S, source_address=(OTHER, 0)
    )
    connections = [open_one(each) for each in (running, idle)]
    took, unanswered = ([], []), 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for connection, times in zip(connections, took):
            started = time.monotonic()
            try:
                connection.request("GET", "/v1/ghi/forecast")
                answer = connection.getresponse()
                answer.read()
                is_answered = answer.status == 200
            except (OSError, http.client.HTTPException):
                is_answered = False
                connection.close()  # The next request reopens it.
            unanswered += not is_answered
            times.append(1000 * (time.monotonic() - started))
        time.sleep(0.012)
    middle, slowest = (sorted(took[0])[len(took[0]) * part // 100] for part in (50, 99))
    control = sorted(took[1])[len(took[1]) * 99 // 100]
    wrong = f"{what}: {unanswered} polls got no response" if unanswered else ""
    if slowest >= POLL_BOUND_MS + 3 * control:
        wrong = f"{what}: a poll takes {slowest:.0f} ms, idle {control:.0f}"
    return f"{len(took[0])} polls, p50 {middle:.1f} ms, p99 {slowest:.1f} ms (idle server {control:.1f})", wrong


def slow_requests(ghi, idle, clients, rate, *flags):
    flags = ["--workers", 1, "--rate-limit-loopback", *flags]
    regions = [f"r{number}" for number in range(REGIONS)] if "--inputs" in flags else ["us", "eu", "cn"]
    print(f"{rate} requests a second of {clients} clients while another one polls, {len(regions)} regions:")
    attacks = {**{what: [one] for what, one in SLOW.items()}, "all of these in turn": list(SLOW.values())}
    for what, slow in attacks.items():
        attempt(what, lambda: attacked(ghi, idle, clients, rate, what, slow, regions, flags))


def attempt(what, measure):
    """Measures until nothing is wrong, a few times at most."""
    for _ in range(ATTEMPTS):
        summary, wrong = measure()
        print(f"  {what}: {summary}{'  FAILS' if wrong else ''}", flush=True)
        if not wrong:
            return
    failures.append(wrong)


def attacked(ghi, idle, clients, rate, what, slow, regions, flags):
    """Polls a server while clients attack it. Returns a summary, and what is wrong if any."""
    with Server(ghi, 0, *flags) as running:
        statuses = multiprocessing.Array("i", 600)
        until = time.monotonic() + ATTACK_S
        attackers = [
            multiprocessing.Process(
                target=attack,
                args=(running.port, f"127.0.0.{2 + number}", number, rate / clients, slow, regions, until, statuses),
            )
            for number in range(clients)
        ]
        for attacker in attackers:
            attacker.start()
        polls, wrong = poll(what, running, idle, ATTACK_S)
        for attacker in attackers:
            attacker.join()
        running.assert_alive()
    counts = {status: count for status, count in enumerate(statuses) if count}
    # 400 is for too many commas, 429 for days drawn by `at`, of which each client has a share.
    if not counts.keys() <= {200, 400, 429, 503}:
        wrong = f"{what}: statuses {counts}; refused requests have 503 and Retry-After"
    return f"{polls}; {', '.join(f'{count} x {status}' for status, count in counts.items())}", wrong


def unread_responses(running, idle):
    print(f"{READERS} clients that never read:")
    for what, target in UNREAD.items():
        attempt(what, lambda: unread(running, idle, what, target))


def unread(running, idle, what, target):
    """Polls a server whose responses to others are never read. Returns a summary, and what is wrong if any."""
    before = running.memory_mb()
    clients = []
    for number in range(READERS):
        client = running.connect(receive_buffer=4096, source=f"127.0.1.{number % 250 + 1}")
        gzip = ["Accept-Encoding: gzip"] if "gzip" in what else []
        client.sendall(request(target, *gzip))
        clients.append(client)
    polls, wrong = poll(what, running, idle, 2)
    grown = running.memory_mb() - before
    if grown >= MEMORY_BOUND_MB:
        wrong = f"{what}: {grown:.0f} MB more"
    for client in clients:
        client.close()
    time.sleep(1)
    return f"+{grown:.1f} MB; {polls}", wrong


def scenarios(running):
    print("one client requests scenarios:")
    waiting = []
    for _ in range(2000):
        client = running.connect(source=ATTACKER)
        client.sendall(request("/v1/ghi/network", "Prefer: delay=10000"))
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
    given = server.arguments(__doc__, clients=3, rate=250, **{"built-in": False})
    server.raise_descriptor_limit()
    with tempfile.TemporaryDirectory() as folder:
        file = inputs(folder, REGIONS)
        with Server(given.ghi, 0, "--workers", 1) as idle:
            slow_requests(given.ghi, idle, given.clients, given.rate, "--inputs", file)
            if given.built_in:
                slow_requests(given.ghi, idle, given.clients, given.rate)
            # Without the rate limit: its 429 would answer most of these requests.
            flags = ["--workers", 1, "--rate-limit", 1_000_000, "--rate-limit-loopback", "--inputs", file]
            with Server(given.ghi, 0, *flags) as running:
                unread_responses(running, idle)
                scenarios(running)
                running.assert_alive()
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
