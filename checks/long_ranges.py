#!/usr/bin/env python3
"""Downloads 3,600 days of 256 regions with 30 clients at once through each proxy in `deploy/`, with the shipped
configuration. Each client gets all of it. No download is cut, and polling clients are served.

    python3 checks/long_ranges.py [--short] [--ghi BINARY]

Needs haproxy, nginx and varnish; takes a minute, or half of that with --short, which tests one load balancer and one cache.
"""

import datetime
import gzip
import http.client
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import server
from fleet import FRONT, Fleet
from fronts import Haproxy, Nginx, NginxCache, VarnishCache
from load import Load
from server import inputs, request

CLIENTS = 30
DAYS = 3600
FIRST = datetime.date(2015, 1, 1)
TIMEOUT = 60  # Seconds without data after which a client gives up; far more than any proxy's timeout.
POLLS = 20  # Per second.

failures = []


def judge(holds, sentence):
    if not holds:
        failures.append(sentence)


def download(number):
    """Returns the result of a download. Each client requests different days, which are in no cache, and every second
    client accepts gzip."""
    first, last = (str(FIRST + datetime.timedelta(number + days)) for days in (0, DAYS - 1))
    connection = http.client.HTTPConnection("127.0.0.1", FRONT, timeout=TIMEOUT)
    started = time.monotonic()
    try:
        headers = {"Accept-Encoding": "gzip"} if number % 2 else {}
        connection.request("GET", f"/export/history.csv?region_id=global&from={first}&to={last}", headers=headers)
        answer = connection.getresponse()
        body = answer.read()
    except (OSError, http.client.HTTPException) as error:
        return f"cut after {time.monotonic() - started:.0f} s: {type(error).__name__}"
    finally:
        connection.close()
    if answer.status != 200:
        return f"status {answer.status}"
    text = gzip.decompress(body) if answer.headers["content-encoding"] else body
    rows = text.decode().split("\r\n")[1:]
    dates = [row.split(",")[0] for row in rows]
    is_whole = len(rows) == DAYS + 1 and (dates[0], dates[-2], rows[-1]) == (first, last, "")
    return "whole" if is_whole else f"{len(rows)} rows, the last one {rows[-1]!r}"


def behind(front, ghi, file):
    with tempfile.TemporaryDirectory() as folder, Fleet(ghi, front, Path(folder), file) as fleet:
        poll = lambda: ("poll", request("/v1/ghi/indicator"))  # noqa: E731
        verdict = lambda _, answer, seen: None if answer.status == 200 else f"status {answer.status}"  # noqa: E731
        with Load(FRONT, poll, verdict, connections=4, rate=POLLS) as polls:
            started = time.monotonic()
            with ThreadPoolExecutor(CLIENTS) as clients:
                found = Counter(clients.map(download, range(CLIENTS)))
            seconds = time.monotonic() - started
            tally = polls.finish()
        for replica in fleet.running.values():
            replica.assert_alive()
        out = fleet.balancer.taken_out()
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in found.most_common())
    print(f"{front.name} ({front.file}), {seconds:.0f} s: {outcomes}\n  polls: {tally}", flush=True)
    judge(found["whole"] == CLIENTS, f"{front.file}: {outcomes}")
    judge(not tally.failed, f"{front.file}: polls failed: {dict(tally.failed)}")
    judge(not out, f"{front.file}: a replica was taken out of service {out} times")


def main():
    given = server.arguments(__doc__, short=False)
    with tempfile.TemporaryDirectory() as folder:
        file = inputs(folder)
        for front in (Haproxy, NginxCache) if given.short else (Haproxy, Nginx, NginxCache, VarnishCache):
            behind(front, given.ghi, file)
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(str(error))
