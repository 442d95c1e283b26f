#!/usr/bin/env python3
"""Tests the caches in `deploy/`, nginx and Varnish, with 10,000 requests per second from mixed pollers across
midnight: hardly any request reaches the origin, and no response is stale or belongs to another request. Then, with
three replicas, clients request scenarios: no other request fails.

    python3 checks/cache.py [--short] [--ghi BINARY]

Every response is compared with documents from servers with their clocks on either day. Needs nginx and varnish;
takes six minutes, or one minute with --short, which sends fewer requests.
"""

import calendar
import datetime
import email.utils
import gzip
import itertools
import json
import random
import re
import sys
import tempfile
import time
from pathlib import Path

import fleet
import server
from fronts import REPLICAS, NginxCache, VarnishCache
from load import Load
from server import Server, get, inputs, request

FRONT = 18320
ORIGIN = 18322
RATE = 10_000
CONNECTIONS, PROCESSES = 128, 2
REGIONS = 20  # Enough for long documents to be compressed.
DAYS = ["2026-11-15", "2026-11-16"]
DAY = 86400
MIDNIGHT = calendar.timegm(time.strptime(DAYS[1], "%Y-%m-%d"))
STALE = 1.0  # Seconds after midnight, plus the delay of the response, after which data of the previous day is stale.
SHARE = 0.01  # The largest share of requests that may reach the origin.
PATHS = [
    "/v1/ghi/snapshot",
    "/v1/ghi/indicator",
    "/v1/ghi/network",
    "/v1/ghi/history",
    "/v1/ghi/history?region_id=r3",
    "/v1/ghi/regions",
    "/v1/ghi/regions/r7",
    "/v1/ghi/forecast?forecast_days=7",
]
FORMS = [None, "return=minimal"]
ENCODINGS = [None, "gzip", "gzip, deflate, br"]
STAMP = re.compile(rb'"timestamp_utc":"[^"]*"')
MAX_AGE = re.compile(r"max-age=(\d+)")
# Headers of a single request, which must not be in a cached response.
PRIVATE = re.compile(rb"(?i)\r\n(x-request-id|traceparent|ratelimit[^:]*):")
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
SEEN_BY_ORIGIN = re.compile(r'(?m)^ghi_http_requests_total\{route="/v1[^}]*\} (\d+)')

failures = []


def judge(holds, sentence):
    if not holds:
        failures.append(sentence)


def documents(ghi, file):
    """Returns, by path and form, the tags of the two days, each with its body without the timestamp."""
    found = {}
    for day in DAYS:
        with Server(ghi, 0, "--inputs", file, "--at", f"{day}T12:00:00Z") as reference:
            for path, form in itertools.product(PATHS, FORMS):
                _, headers, body = get(reference.port, path, form and {"Prefer": form})
                found.setdefault((path, form), {})[headers["etag"]] = day, STAMP.sub(b"", body)
    return found


class Poller:
    """Requests one document in one way; if conditional, with the last tag it has seen."""

    def __init__(self, path, form, encoding, conditional):
        self.path, self.form, self.encoding, self.conditional = path, form, encoding, conditional
        self.tag = None
        headers = {"Prefer": form, "Accept-Encoding": encoding, "traceparent": TRACE}
        self.headers = [f"{name}: {value}" for name, value in headers.items() if value]

    def ask(self):
        tag = self.tag if self.conditional else None
        return (self, tag), request(self.path, *self.headers, *([f"If-None-Match: {tag}"] if tag else []))


def pollers():
    every = [Poller(*kind) for kind in itertools.product(PATHS, FORMS, ENCODINGS, [False, True])]
    random.Random(1).shuffle(every)
    turns = itertools.cycle(every)
    return lambda: next(turns).ask()


def verdict_by(known, origin_ahead):
    """Compares a response with the documents of both days, and its time with the origin's clock."""
    verified = set()

    def wrong_body(poller, tag, answer):
        encoding = answer.header("content-encoding")
        if encoding and not poller.encoding:
            return "compressed although not requested"
        body = gzip.decompress(answer.body) if encoding else answer.body
        if STAMP.sub(b"", body) != known[poller.path, poller.form][tag][1]:
            return "the body does not match its tag"

    def wrong_time(day, date, control):
        """Clients count `max-age` from `Date`, and must not keep a response into the origin's next day."""
        # Date is our time, in whole seconds: the response was sent up to a second later.
        earliest = email.utils.parsedate_to_datetime(date).timestamp() + origin_ahead
        days = {time.strftime("%Y-%m-%d", time.gmtime(at)): at for at in (earliest, earliest + 1)}
        if day and day not in days:
            return f"sent {date}, with data of {day}"
        midnight = (days.get(day, earliest + 1) // DAY + 1) * DAY
        if earliest + int(MAX_AGE.search(control)[1]) > midnight + 0.1:
            return f"cacheable past midnight: {date}, {control}"

    def verdict(asked, answer, seen):
        poller, tag_sent = asked
        seen[f"status {answer.status}"] += 1
        if answer.status not in (200, 304):
            return f"status {answer.status}"
        if found := PRIVATE.search(answer.head):
            return f"{found[1].decode()} belongs to another request"
        tag = answer.header("etag")
        days = known[poller.path, poller.form]
        if tag not in days:
            return "a document or form that was not requested"
        since_midnight = answer.received + origin_ahead - MIDNIGHT
        # A document that is the same on both days has one tag and is never stale.
        day = days[tag][0] if len(days) == 2 else None
        if day == DAYS[0] and since_midnight > 0:
            seen["old", round(since_midnight, 2)] += 1
        poller.tag = tag
        times = day, answer.header("date"), answer.header("cache-control")
        if times not in verified:
            if reason := wrong_time(*times):
                return reason
            verified.add(times)
        if answer.status == 304:
            return None if tag == tag_sent else "304 for another tag"
        if (poller, answer.body) not in verified:
            if reason := wrong_body(poller, tag, answer):
                return reason
            verified.add((poller, answer.body))

    return verdict


def ahead_of_us():
    """Returns how far the origin's clock is ahead of ours, in seconds."""
    before = time.time()
    stamp = json.loads(get(ORIGIN, PATHS[0])[2])["timestamp_utc"]
    ours = (before + time.time()) / 2
    return datetime.datetime.fromisoformat(stamp).timestamp() - ours


def seen_by_origin():
    return sum(map(int, SEEN_BY_ORIGIN.findall(get(ORIGIN, "/metrics")[2].decode())))


def behind(cache, ghi, file, known, before, after):
    start = datetime.datetime.fromtimestamp(MIDNIGHT - before, datetime.timezone.utc)
    clock = ["--at", start.strftime("%Y-%m-%dT%H:%M:%SZ"), "--speed", 1]
    # With a rate limit and an access log, the origin's responses have headers of a single request.
    flags = ["--inputs", file, "--rate-limit", RATE, "--trusted-proxy", "127.0.0.1", "--access-log"]
    with tempfile.TemporaryDirectory() as folder, Server(ghi, ORIGIN, *flags, *clock) as origin:
        ahead = ahead_of_us()

        def sleep_until(instant):
            time.sleep(max(0, instant - ahead - time.time()))

        with cache(Path(folder), FRONT, [ORIGIN] * REPLICAS):
            verdict = verdict_by(known, ahead)
            with Load(FRONT, pollers(), verdict, CONNECTIONS, PROCESSES, RATE) as load:
                at_start = seen_by_origin()
                sleep_until(MIDNIGHT - 1)
                at_last_second = seen_by_origin()
                sleep_until(MIDNIGHT)
                at_midnight = seen_by_origin()
                sleep_until(MIDNIGHT + after)
                tally = load.finish()
                fetched = seen_by_origin() - at_start
        origin.assert_alive()
    last_second = at_midnight - at_last_second
    stale = max((key[1] for key in tally.seen if isinstance(key, tuple)), default=0)
    print(
        f"{cache.name}: {tally}\n"
        f"  {fetched:,} reached the origin, {fetched / tally.requests:.2%}, "
        f"{last_second:,} of them in the last second of the day\n"
        f"  {tally.seen['status 200']:,} were 200 and {tally.seen['status 304']:,} 304; "
        f"the last response with the previous day came {stale} s after midnight",
        flush=True,
    )
    judge(stale <= STALE + tally.slowest, f"{cache.name}: data of the previous day {stale} s after midnight")
    return tally, fetched, last_second


def main():
    given = server.arguments(__doc__, short=False)
    before, after = (10, 5) if given.short else (120, 60)
    with tempfile.TemporaryDirectory() as folder:
        file = inputs(folder, REGIONS)
        known = documents(given.ghi, file)
        for cache in (NginxCache, VarnishCache):
            tally, fetched, last_second = behind(cache, given.ghi, file, known, before, after)
            failures.extend(f"{cache.name}: {count} failed: {reason}" for reason, count in tally.failed.items())
            # In the last second, max-age is 0 and nginx caches nothing, which would dominate a short run.
            counted = fetched - last_second if given.short else fetched
            due = RATE * (before + after)
            judge(counted < SHARE * due, f"{cache.name}: {counted:,} requests reached the origin")
            fleet.scenarios_behind(cache, given.ghi)
    failures.extend(fleet.failures)
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(str(error))
