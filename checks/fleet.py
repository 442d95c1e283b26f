#!/usr/bin/env python3
"""Tests three replicas behind HAProxy and behind nginx, with the configuration in `deploy/`. Under load, replicas
are restarted, killed and stopped, get new inputs and a wrong clock, and clients request scenarios: no
request fails.

    python3 checks/fleet.py [--short] [--ghi BINARY]

Every response must be complete, and come entirely from the version that its tag names. Needs haproxy and
nginx; takes three minutes, or one minute with --short, which has fewer restarts and requests.
"""

import contextlib
import itertools
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import server
from fronts import Haproxy, Nginx
from load import Load
from server import ROOT, Server, get, request

FRONT = 18300
REPLICAS = [18301, 18302, 18303]
PATHS = ["/v1/ghi/snapshot", "/v1/ghi/history"]
STAMP = re.compile(rb'"timestamp_utc":"[^"]*"')
BUILT_IN = ROOT / "crates/ghi-engine/inputs.toml"
REQUESTS = 100_000  # During each disturbance.
DRAIN = 1.5  # Seconds; more than HAProxy needs to notice.
SETTLE = 2.2  # Seconds; more than nginx's fail_timeout, so that one replica is back before the next one stops.
HANG = 4  # Seconds; more than either needs to notice.
NOON = "2026-11-15T12:00:00Z"
DELAY = "delay=2500"  # Longer than a load balancer waits for ordinary responses.
# The `Prefer` lines of scenario requests, in every spelling that a proxy might interpret differently than a
# replica, and preferences that a later version may add.
SPELLINGS = [
    [DELAY],
    ["DELAY=2500"],
    ['delay="2500"'],
    ["delay \t=\t 2500"],
    [f"{DELAY};x=y"],
    [f"return=minimal, {DELAY}"],
    [f"return=minimal;{DELAY}, {DELAY}"],
    ["return=minimal", DELAY],
    [DELAY, "return=minimal"],
    ["", DELAY],
    [",", "", DELAY],
    ['x="return=minimal"', DELAY],
    ["code=503"],
    ["", "CODE = 500"],
    ["break=cut"],
    ["break=truncate"],
    ["return=minimal", "break=cut"],
    ["break=reset"],
    ["return=minimal", f"break=reset, {DELAY}"],
    ["break=drip"],
    [f"times=1, key=fleet, {DELAY}"],
    [f"figures=spike, {DELAY}"],
    [f"handling=strict, {DELAY}"],
]
ROUNDS = 6  # Enough requests with each spelling to reach each replica.

failures = []


def judge(holds, sentence):
    if not holds:
        failures.append(sentence)


class Fleet:
    """Replicas behind a proxy, each with its own clock."""

    def __init__(self, ghi, front, folder, inputs, clocks=(NOON, NOON, NOON)):
        self.ghi, self.front, self.folder, self.inputs = ghi, front, folder, inputs
        self.clocks = dict(zip(REPLICAS, clocks))
        self.running = {}

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            stack.callback(lambda: [replica.__exit__() for replica in self.running.values()])
            for port in REPLICAS:
                self.start(port)
            self.balancer = stack.enter_context(self.front(self.folder, FRONT, REPLICAS))
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def start(self, port):
        flags = ["--workers", 1, "--drain", f"{DRAIN * 1000:.0f}ms", "--trusted-proxy", "127.0.0.1", "--rate-limit", 0]
        figures = ["--inputs", self.inputs, "--at", self.clocks[port], "--speed", 1]
        self.running[port] = Server(self.ghi, port, *flags, *figures)

    def signal(self, port, which):
        self.running[port].process.send_signal(which)

    def restart(self, port):
        self.signal(port, signal.SIGTERM)
        code = self.running[port].process.wait(timeout=DRAIN + 60)
        judge(code == 0, f"a replica exited with {code}")
        self.start(port)
        time.sleep(SETTLE)

    def kill(self, port):
        self.running[port].__exit__()
        time.sleep(1)
        self.start(port)
        time.sleep(SETTLE)

    def hang(self, port):
        self.signal(port, signal.SIGSTOP)
        time.sleep(HANG)
        self.signal(port, signal.SIGCONT)
        time.sleep(SETTLE)

    def reload(self, port, tag):
        """Reloads the inputs, and waits until the first document has this tag."""
        self.signal(port, signal.SIGHUP)
        deadline = time.monotonic() + 60
        while get(port, PATHS[0])[1]["etag"] != tag:
            assert time.monotonic() < deadline, "a replica did not reload"
            time.sleep(0.02)
        time.sleep(0.5)


def version(ghi, inputs, at=NOON):
    """Returns each document's tag, and its body without the timestamp."""
    with Server(ghi, 0, "--inputs", inputs, "--at", at) as reference:
        answers = {path: get(reference.port, path) for path in PATHS}
    return {path: (headers["etag"], STAMP.sub(b"", body)) for path, (_, headers, body) in answers.items()}


def pollers(known, cold=False):
    """Yields requests for each document, without a tag and with the tag of a known version. A cold URL is in no
    cache."""
    number = itertools.count()

    def ask():
        each = next(number)
        path = PATHS[each % 2]
        tag = known[path][0] if each & 2 else None
        url = f"{path}?cold={each}" if cold and each & 4 else path
        return (path, tag), request(url, *([f"If-None-Match: {tag}"] if tag else []))

    return ask


def verdict_by(versions):
    """Compares responses with the possible versions, and counts how many come from each."""
    known = {(path, tag): (name, body) for name, each in versions.items() for path, (tag, body) in each.items()}

    def verdict(asked, answer, seen):
        path, tag_sent = asked
        tag = answer.header("etag")
        if answer.status not in (200, 304):
            return f"status {answer.status}"
        if (path, tag) not in known:
            return f"an unknown tag: {tag}"
        name, body = known[path, tag]
        seen[name] += 1
        if (answer.status == 304) != (tag == tag_sent):
            return f"{answer.status} with {tag} for If-None-Match {tag_sent}"
        if answer.status == 200 and STAMP.sub(b"", answer.body) != body:
            return "the body does not match its tag"

    return verdict


def load(known, verdict, cold=False):
    return Load(FRONT, pollers(known, cold), verdict)


def report(what, tally):
    print(f"  {what}: {tally}", flush=True)
    failures.extend(f"{what}: {count} failed: {reason}" for reason, count in tally.failed.items())


def disturb(what, today, act, rounds, requests):
    """Acts on one replica at a time, at least this many times, and until there were enough requests."""
    done = 0
    with load(today, verdict_by({"today": today})) as running:
        for port in itertools.cycle(REPLICAS):
            act(port)
            done += 1
            if done >= rounds and running.answered() >= requests:
                break
        report(f"{what}, {done} replica(s)", running.finish())


def restart_and_check(fleet, port):
    """Restarts a replica while `ghi check` runs."""
    command = [fleet.ghi, "check", f"http://127.0.0.1:{FRONT}"]
    # Slow enough to last until the replica is back.
    check = subprocess.Popen([*command, "--rate", "4"], stdout=subprocess.PIPE, text=True)
    fleet.restart(port)
    text = check.communicate()[0]
    judge(check.returncode == 0, f"ghi check exits with {check.returncode}:\n{text}")


def same_tags(known):
    """Requires the same tag from all replicas, and 304 from each for another one's tag."""
    for port in [*REPLICAS, FRONT]:
        for path, (tag, _) in known.items():
            judge(get(port, path)[1]["etag"] == tag, f"{path} has a different tag on port {port}")
            status = get(port, path, {"If-None-Match": tag})[0]
            judge(status == 304, f"{path} is {status} for its own tag, on port {port}")


def send(number, lines, method="GET"):
    """Sends a request with these `Prefer` lines, for a unique URL, over a new connection."""
    client = socket.create_connection(("127.0.0.1", FRONT), timeout=20)
    head = [f"{method} {PATHS[0]}?scenario={number} HTTP/1.1", "Host: check", "Connection: close"]
    client.sendall("\r\n".join([*head, *(f"Prefer: {line}" for line in lines), "", ""]).encode())
    return client


def status(client):
    """Returns the status of the response, or None if there is none or the connection breaks."""
    answer = b""
    with client, contextlib.suppress(OSError):
        while part := client.recv(65536):
            answer += part
        return int(answer[9:12]) if answer else None


def in_every_spelling():
    """Sends scenario requests in every spelling at once, and two ordinary requests for the URL of each. Returns the
    number of each kind, and the statuses of ordinary requests other than 200."""
    spelled = [(lines, "GET") for lines in SPELLINGS * ROUNDS]
    spelled += [(["return=minimal", DELAY], method) for method in ["HEAD", "OPTIONS", "POST", "DELETE"]]
    scenarios = [send(number, *each) for number, each in enumerate(spelled)]
    ordinary = [send(number, lines) for number, _ in enumerate(spelled) for lines in ([], ["return=minimal"])]
    failed = Counter(map(status, ordinary))
    for each in scenarios:
        status(each)
    del failed[200]
    return len(scenarios), len(ordinary), failed


def provoke(fleet, known):
    """Requires that scenarios reach clients unchanged and never take a replica out, however they are spelled."""
    before = fleet.balancer.taken_out()
    with load(known, verdict_by({"today": known}), cold=True) as running:
        # Enough to reach each replica.
        for preference, expected in [("code=503", 503)] * 6 + [("code=500", 500)] * 6 + [(DELAY, 200)]:
            found, headers, _ = get(FRONT, PATHS[0], {"Prefer": preference})
            applied = headers["preference-applied"]
            judge((found, applied) == (expected, preference), f"{preference} is {found}, {applied}")
        scenarios, ordinary, failed = in_every_spelling()
        tally = running.finish()
    tally.requests += ordinary
    tally.failed.update({f"status {each}": count for each, count in failed.items()})
    report(f"during {scenarios} scenarios in every spelling", tally)
    out = fleet.balancer.taken_out() - before
    judge(not out, f"scenarios took a replica out of service {out} times")


def scenarios_behind(front, ghi):
    """Runs clients that only request scenarios."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder) / "inputs.toml"
        inputs.write_text(BUILT_IN.read_text())
        with Fleet(ghi, front, Path(folder), inputs) as fleet:
            provoke(fleet, version(ghi, inputs))


def other_inputs(text):
    """Returns the same network with another seed, which gives different data."""
    changed, count = re.subn(r"(?m)^seed = \d+", "seed = 7", text)
    assert count == 1, "the inputs have no seed"
    return changed


def roll_inputs(fleet, old, new):
    with load(old, verdict_by({"old": old, "new": new})) as running:
        time.sleep(0.5)
        fleet.inputs.write_text(other_inputs(fleet.inputs.read_text()))
        for port in REPLICAS:
            fleet.reload(port, new[PATHS[0]][0])
        tally = running.finish()
    old_ones, new_ones = tally.seen["old"], tally.seen["new"]
    report(f"new inputs, {old_ones:,} responses from the old and {new_ones:,} from the new version", tally)
    judge(old_ones and new_ones, "both versions should appear")
    same_tags(new)


def wrong_clock(ghi, front, folder, inputs, right, wrong):
    """Gives the third replica a wrong clock: each document must belong to the day of its own timestamp."""
    versions = {at[:10]: version(ghi, inputs, at) for at in (right, wrong)}
    by_version = verdict_by(versions)

    def verdict(asked, answer, seen):
        if answer.status == 200:
            stamp = STAMP.search(answer.body)[0].decode().split('"')[3]
            day, hour = stamp[:10], stamp[11:13]
            seen["documents"] += 1
            seen["ahead"] += hour == wrong[11:13]
            if answer.header("etag") != versions[day][asked[0]][0]:
                return f"data of a day other than {day}"
        return by_version(asked, answer, seen)

    with Fleet(ghi, front, folder, inputs, (right, right, wrong)):
        with load(versions[right[:10]], verdict) as running:
            time.sleep(1)
            tally = running.finish()
    share = f"{tally.seen['ahead'] / max(tally.seen['documents'], 1):.0%} of the documents from it"
    what = "an hour" if len(versions) == 1 else "an hour, and therefore a day"
    report(f"a clock that is {what} ahead, {share}", tally)
    judge(tally.seen["ahead"], "no response from the replica with the wrong clock")


def behind(front, ghi, short):
    print(f"behind {front.name}:", flush=True)
    restarts, requests = (1, 0) if short else (len(REPLICAS), REQUESTS)
    built_in = BUILT_IN.read_text()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        inputs, changed = folder / "inputs.toml", folder / "changed.toml"
        inputs.write_text(built_in)
        changed.write_text(other_inputs(built_in))
        today = version(ghi, inputs)
        with Fleet(ghi, front, folder, inputs) as fleet:
            same_tags(today)
            restart = lambda port: restart_and_check(fleet, port)  # noqa: E731
            disturb("rolling restart during ghi check", today, restart, restarts, requests)
            disturb("kill -9", today, fleet.kill, 1, requests)
            disturb("hang", today, fleet.hang, 1, requests)
            provoke(fleet, today)
            roll_inputs(fleet, today, version(ghi, changed))
        wrong_clock(ghi, front, folder, changed, NOON, "2026-11-15T13:00:00Z")
        wrong_clock(ghi, front, folder, changed, "2026-11-15T23:20:00Z", "2026-11-16T00:20:00Z")


def main():
    given = server.arguments(__doc__, short=False)
    for front in (Haproxy, Nginx):
        behind(front, given.ghi, given.short)
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(str(error))
