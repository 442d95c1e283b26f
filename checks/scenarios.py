#!/usr/bin/env python3
"""Checks that scenarios work as described and do not delay other clients.

    target/venv/bin/python checks/scenarios.py [--ghi BINARY]

Each scenario is read with curl and with Python's requests. Then a poller is timed during 2,000 delayed
requests, and during 1,000 requests for 1,000 other days within about ten seconds, and during requests with
100,000 keys; it also polls an idle server, to
measure how busy the machine is. Finally, 10,000 requests are sent with chaos. Needs curl; takes about a minute.
"""

import collections
import datetime
import http.client
import json
import random
import re
import socket
import subprocess
import sys
import threading
import time

import requests

import server
from server import Server, request

PORT = 18350
NOON = "2026-11-15T12:00:00Z"
LEAP_DAY = "2028-02-29T12:00:00Z"
PATH = "/v1/ghi/snapshot"
CODES = {
    400: "invalid_parameter",
    404: "unknown_region",
    429: "rate_limited",
    500: "internal",
    503: "no_figures",
}
TRUNCATED = 18  # curl's exit code for a transfer that ends early.
RESET = 56  # curl's exit code for a connection that is reset.
KEYS = 100_000
DELAYED = 2000
DELAY_S = 6  # Long enough for all of them to wait at once, even on a busy machine.
FIRST_DAY = datetime.date(1970, 1, 1).toordinal()
DAYS = 1000
CHAOS_PERCENT = 20
CHAOS_REQUESTS = 10_000

failures = []


def judge(holds, sentence):
    if not holds:
        failures.append(sentence)


def curl(running, preference):
    """Returns the head, the body, curl's exit code and the seconds it took."""
    command = ["curl", "-si", "-H", f"Prefer: {preference}", f"http://127.0.0.1:{running.port}{PATH}"]
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True)
    head, _, body = done.stdout.decode().partition("\r\n\r\n")
    return head, body, done.returncode, time.monotonic() - started


def check_curl(running):
    for status, code in CODES.items():
        head, body, exit_code, _ = curl(running, f"code={status}")
        problem = json.loads(body)
        is_it = (problem["status"], problem["code"], exit_code) == (status, code, 0)
        judge(is_it and head.startswith(f"HTTP/1.1 {status} "), f"curl, code={status}: {head}")
        has_wait = bool(re.search(r"\r\nretry-after: 1(\r\n|$)", head))
        judge(has_wait == (status in (429, 503)), f"curl, Retry-After of {status}")
        judge(f"preference-applied: code={status}" in head, f"curl, Preference-Applied of {status}")
    whole = len(curl(running, "return=representation")[1])
    head, body, exit_code, _ = curl(running, "break=truncate")
    judge(exit_code == TRUNCATED and 0 < len(body) < whole, f"curl, truncated: {exit_code}")
    judge(f"content-length: {whole}" in head, "curl, Content-Length of a truncated response")
    _, body, exit_code, _ = curl(running, "break=cut")
    judge(exit_code == TRUNCATED and body == "", f"curl, cut: {exit_code}")
    head, body, exit_code, _ = curl(running, "break=json")
    judge(exit_code == 0 and body.startswith("<") and "application/json" in head, "curl, not JSON")
    head, body, _, _ = curl(running, f"at={LEAP_DAY}, return=minimal")
    judge(json.loads(body)["timestamp_utc"] == "2028-02-29T12:00:00.000000Z", "curl, at")
    head, _, _, took = curl(running, "delay=400, code=503")
    judge(took >= 0.4, f"curl, delay: {took:.2f} s")
    judge("preference-applied: code=503, delay=400" in head, f"curl, both: {head}")


def check_more(running):
    """Checks, with curl, the scenarios that end, change documents, or report mistakes."""
    for status in (502, 504):
        head, body, exit_code, _ = curl(running, f"code={status}")
        is_page = "content-type: text/html" in head and body.startswith("<html>")
        judge(is_page and head.startswith(f"HTTP/1.1 {status} "), f"curl, code={status}: {head}")
    for form, pattern in [("9", "9"), ("date", r"\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT"), ("none", None)]:
        found = re.search(r"\r\nretry-after: ([^\r]*)", curl(running, f"code=503, retry-after={form}")[0])
        holds = re.fullmatch(pattern, found[1]) if pattern and found else found is None and pattern is None
        judge(holds, f"curl, retry-after={form}: {found}")
    _, body, exit_code, took = curl(running, "break=drip")
    judge(exit_code == 0 and json.loads(body) and 2.5 <= took < 10, f"curl, drip: {took:.2f} s")
    judge(curl(running, "break=reset")[1:3] == ("", RESET), "curl, reset")
    normal = json.loads(curl(running, "return=representation")[1])
    null = json.loads(curl(running, "break=null")[1])
    judge(null["regions"][0]["min_cost_usd"] is None, "curl, null")
    extra = json.loads(curl(running, "break=extra")[1])
    judge(extra.pop("added_later") and all(region.pop("added_later") for region in extra["regions"]), "curl, extra")
    judge(extra | {"timestamp_utc": 0} == normal | {"timestamp_utc": 0}, "curl, extra: other changes")
    history = lambda preference: ask_document(running, "/v1/ghi/history", preference)["points"]
    judge(len(history("break=gap")) == 6 and len(history("break=extra")) == 8, "requests, gap and extra")
    for figures, factor in [("spike", 1.25), ("drop", 0.75), ("flat", 1)]:
        points, snapshot = history(f"figures={figures}"), json.loads(curl(running, f"figures={figures}")[1])
        today = snapshot["global_avg_cost_usd"]
        judge(abs(today - factor * normal["global_avg_cost_usd"]) < 0.011, f"curl, figures={figures}: {today}")
        judge(points[-1]["avg_cost_usd"] == today, f"curl, figures={figures}: the history differs")
    judge(len({point["avg_cost_usd"] for point in history("figures=flat")}) == 1, "curl, figures=flat")
    head, body, _, _ = curl(running, "handling=strict, cod=500")
    judge(json.loads(body)["code"] == "unknown_preference" and "applied: handling=strict" in head, f"strict: {head}")
    statuses = [curl(running, "code=500, times=2, key=curl")[0].split()[1] for _ in range(4)]
    judge(statuses == ["500", "500", "200", "200"], f"curl, recovery: {statuses}")


def ask_document(running, path, preference):
    url = f"http://127.0.0.1:{running.port}{path}"
    return requests.get(url, headers={"Prefer": preference}, timeout=20).json()


def check_requests(running):
    def ask(preference):
        url = f"http://127.0.0.1:{running.port}{PATH}"
        return requests.get(url, headers={"Prefer": preference}, timeout=20)

    def error_of(preference, read=lambda answer: None):
        try:
            read(ask(preference))
        except requests.RequestException as error:
            return type(error)

    for status, code in CODES.items():
        answer = ask(f"code={status}")
        judge((answer.status_code, answer.json()["code"]) == (status, code), f"requests, {status}")
        judge(answer.headers["Cache-Control"] == "no-store", f"requests, no-store of {status}")
    for how in ["truncate", "cut"]:
        judge(error_of(f"break={how}") is requests.exceptions.ChunkedEncodingError, f"requests, {how}")
    no_json = error_of("break=json", lambda answer: answer.json())
    judge(no_json is requests.exceptions.JSONDecodeError, f"requests, not JSON: {no_json}")
    judge(ask(f'at="{LEAP_DAY}"').json()["timestamp_utc"].startswith("2028-02-29T12"), "requests, at")
    judge(ask("delay=300").elapsed.total_seconds() >= 0.3, "requests, delay")
    judge("regions" not in ask("return=minimal").json(), "requests, the reduced form")


class Poller:
    """Requests the snapshot from each server alternately, 100 times per second, and records response times in ms."""

    def __init__(self, *servers):
        self.took = [[] for _ in servers]
        self.stop = threading.Event()
        self.connections = [http.client.HTTPConnection("127.0.0.1", each.port, timeout=20) for each in servers]
        self.thread = threading.Thread(target=self.poll)

    def poll(self):
        while not self.stop.is_set():
            for connection, took in zip(self.connections, self.took):
                started = time.perf_counter()
                connection.request("GET", PATH)
                answer = connection.getresponse()
                answer.read()
                judge(answer.status == 200, f"a poll got {answer.status}")
                took.append((time.perf_counter() - started) * 1000)
            time.sleep(0.01)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()

    def at(self, share):
        return [sorted(took)[int(share * (len(took) - 1))] for took in self.took]


def beside(running, idle, name, load):
    """Times a poller during a load."""
    with Poller(running, idle) as poller:
        said = load(running)
    (p50, idle_p50), (p99, idle_p99) = poller.at(0.5), poller.at(0.99)
    print(
        f"{name}: {said}; a poller meanwhile: p50 {p50:.2f} ms, p99 {p99:.2f} ms"
        f" (idle server: {idle_p50:.2f} and {idle_p99:.2f})"
    )
    judge(p50 <= idle_p50 * 2 + 1 and p99 <= idle_p99 * 3 + 10, f"{name}: other clients wait")


def delayed(running):
    """Sends 2,000 requests that wait at once."""
    clients = [running.connect() for _ in range(DELAYED)]
    deadline = time.monotonic() + DELAY_S
    for client in clients:
        client.sendall(request(PATH, f"Prefer: delay={DELAY_S}000"))
    waiting = 0
    while waiting < DELAYED and time.monotonic() < deadline:
        with requests.get(f"http://127.0.0.1:{running.port}/metrics", timeout=20) as metrics:
            waiting = max(waiting, int(re.search(r"^ghi_scenarios_waiting (\d+)", metrics.text, re.M)[1]))
    statuses = collections.Counter(server.read_answer(client)[0] for client in clients)
    for client in clients:
        client.close()
    judge(waiting == DELAYED, f"{waiting} of {DELAYED} wait")
    judge(statuses == {200: DELAYED}, f"delayed: {statuses}")
    return f"{waiting:,} wait at once"


def other_days(running):
    """Sends 1,000 requests for 1,000 days of all centuries, at most 100 per second."""
    draw = random.Random(11)
    statuses = collections.Counter()
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=20)
    started = time.monotonic()
    for day in draw.sample(range(datetime.date.max.toordinal() - FIRST_DAY), DAYS):
        # Not by the clock: after a pause, a backlog would be sent at once and exceed the server's limit.
        time.sleep(10 / DAYS)
        date = datetime.date.fromordinal(FIRST_DAY + day)
        connection.request("GET", PATH, headers={"Prefer": f"at={date.isoformat()}T12:00:00Z"})
        answer = connection.getresponse()
        answer.read()
        statuses[answer.status] += 1
    judge(statuses == {200: DAYS}, f"other days: {statuses}")
    return f"{DAYS:,} days in {time.monotonic() - started:.1f} s"


def many_keys(running):
    """Sends a request with each of 100,000 keys, far more than the server remembers."""
    before = running.memory_mb()
    client = running.connect()
    statuses = collections.Counter()
    for key in range(KEYS):
        client.sendall(request(PATH, f"Prefer: code=500, times=1, key=k{key}"))
        statuses[server.read_answer(client)[0]] += 1
    client.close()
    grown = running.memory_mb() - before
    judge(statuses == {500: KEYS}, f"keys: {statuses}")
    judge(grown < 8, f"keys: memory grew by {grown:.1f} MB")
    return f"{KEYS:,} keys, memory grows by {grown:.1f} MB"


def outcome(client, port):
    """Sends a request. Returns its result and the connection for the next one."""
    client = client or socket.create_connection(("127.0.0.1", port), timeout=20)
    client.sendall(request(PATH))
    received = b""
    while b"\r\n\r\n" not in received:
        received += client.recv(65536)
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(re.search(rb"content-length: (\d+)", head)[1])
    while len(body) < length and (more := client.recv(65536)):
        body += more
    status = head.split()[1].decode()
    is_whole = len(body) == length
    if is_whole and b"connection: close" not in head:
        return status, client
    client.close()
    return status if is_whole else "truncated" if body else "cut", None


def check_chaos(ghi):
    def run(count):
        with Server(ghi, PORT, "--chaos", CHAOS_PERCENT, "--at", NOON) as running:
            client, outcomes = None, []
            for _ in range(count):
                what, client = outcome(client, running.port)
                outcomes.append(what)
            metrics = requests.get(f"http://127.0.0.1:{running.port}/metrics", timeout=20).text
        return outcomes, metrics

    outcomes, metrics = run(CHAOS_REQUESTS)
    counts = collections.Counter(outcomes)
    failed = CHAOS_REQUESTS - counts["200"]
    kinds = {kind: counts[kind] for kind in ["429", "500", "503", "truncated", "cut"]}
    print(f"chaos: {failed} of {CHAOS_REQUESTS:,} fail: {kinds}")
    share = 100 * failed / CHAOS_REQUESTS
    judge(abs(share - CHAOS_PERCENT) <= 2, f"chaos: {share}% fail")
    judge(sum(kinds.values()) == failed, f"chaos: other failures: {counts}")
    expected = failed / len(kinds)
    judge(all(abs(count - expected) < 0.2 * expected for count in kinds.values()), f"chaos: {kinds}")
    judge(run(1000)[0] == outcomes[:1000], "chaos: a different sequence")
    counted = lambda pattern: sum(int(count) for count in re.findall(pattern, metrics, re.M))
    provoked = counted(r"^ghi_scenarios_total\{origin=\"chaos\",.*\} (\d+)")
    answered = counted(rf"^ghi_http_requests_total\{{route=\"{PATH}\",status=\"200\"\}} (\d+)")
    sums = f"chaos: the metrics say {provoked} and {answered}"
    judge((provoked, answered) == (failed, counts["200"]), sums)


def main():
    given = server.arguments(__doc__)
    server.raise_descriptor_limit()
    with Server(given.ghi, PORT, "--at", NOON) as running, Server(given.ghi, 0, "--at", NOON) as idle:
        check_curl(running)
        check_more(running)
        check_requests(running)
        beside(running, idle, "delay", delayed)
        beside(running, idle, "keys", many_keys)
        beside(running, idle, "at", other_days)
        running.assert_alive()
    check_chaos(given.ghi)
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
