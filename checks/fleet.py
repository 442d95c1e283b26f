#!/usr/bin/env python3
"""Three replicas behind HAProxy, and then behind nginx, with the configuration of `deploy/`. Under load,
they are restarted, killed, stopped, given other inputs and a wrong clock: no request fails.

    python3 checks/fleet.py [--short] [--ghi BINARY]

Every answer is judged: it is complete, and wholly of one version, as its tag says. Needs haproxy and
nginx; takes three minutes, and a minute with --short, which has fewer requests.
"""

import contextlib
import itertools
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import server
from fronts import Haproxy, Nginx
from load import Load
from server import ROOT, Server, get, request

FRONT = 18300
REPLICAS = [18301, 18302, 18303]
PATHS = ["/v1/ghi/snapshot", "/v1/ghi/history"]
STAMP = re.compile(rb'"timestamp_utc":"[^"]*"')
REQUESTS = 100_000  # During each disturbance.
DRAIN = 1.5  # Seconds; more than HAProxy needs to notice.
SETTLE = 2.2  # Seconds; more than nginx' fail_timeout, so that one replica is back before the next goes.
HANG = 4  # Seconds; more than either needs to notice.
NOON = "2026-11-15T12:00:00Z"

failures = []


def judge(holds, sentence):
    if not holds:
        failures.append(sentence)


class Fleet:
    """Replicas behind a front, each with a clock that starts at its own time."""

    def __init__(self, ghi, front, folder, inputs, clocks=(NOON, NOON, NOON)):
        self.ghi, self.front, self.folder, self.inputs = ghi, front, folder, inputs
        self.clocks = dict(zip(REPLICAS, clocks))
        self.running = {}

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            stack.callback(lambda: [replica.__exit__() for replica in self.running.values()])
            for port in REPLICAS:
                self.start(port)
            stack.enter_context(self.front(self.folder, FRONT, REPLICAS))
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
        code = self.running[port].process.wait(timeout=DRAIN + 10)
        judge(code == 0, f"a replica ended with {code}")
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
        """Has it read its inputs again, until its first document has that tag."""
        self.signal(port, signal.SIGHUP)
        deadline = time.monotonic() + 10
        while get(port, PATHS[0])[1]["etag"] != tag:
            assert time.monotonic() < deadline, "a replica does not reload"
            time.sleep(0.02)
        time.sleep(0.5)


def version(ghi, inputs, at=NOON):
    """Each document's tag, and its body but for the timestamp."""
    with Server(ghi, 0, "--inputs", inputs, "--at", at) as reference:
        answers = {path: get(reference.port, path) for path in PATHS}
    return {path: (headers["etag"], STAMP.sub(b"", body)) for path, (_, headers, body) in answers.items()}


def pollers(known):
    """What to ask for: each document, without a tag and with the one of a known version."""
    asks = []
    for path, (tag, _) in known.items():
        asks.append(((path, None), request(path)))
        asks.append(((path, tag), request(path, f"If-None-Match: {tag}")))
    return itertools.cycle(asks).__next__


def verdict_by(versions):
    """Judges an answer by the versions that there may be, and counts how many are of which."""
    known = {(path, tag): (name, body) for name, each in versions.items() for path, (tag, body) in each.items()}

    def verdict(asked, answer, seen):
        path, tag_sent = asked
        tag = answer.header("etag")
        if answer.status not in (200, 304):
            return f"status {answer.status}"
        if (path, tag) not in known:
            return f"a tag of no version: {tag}"
        name, body = known[path, tag]
        seen[name] += 1
        if (answer.status == 304) != (tag == tag_sent):
            return f"{answer.status} with {tag} to who knows {tag_sent}"
        if answer.status == 200 and STAMP.sub(b"", answer.body) != body:
            return "a body that is not that of its tag"

    return verdict


def load(known, verdict):
    return Load(FRONT, pollers(known), verdict)


def report(what, tally):
    print(f"  {what}: {tally}", flush=True)
    failures.extend(f"{what}: {count} failed: {reason}" for reason, count in tally.failed.items())


def disturb(what, today, act, rounds, requests):
    """Acts on one replica after the other, so many times at least, and until there were enough requests."""
    done = 0
    with load(today, verdict_by({"today": today})) as running:
        for port in itertools.cycle(REPLICAS):
            act(port)
            done += 1
            if done >= rounds and running.answered() >= requests:
                break
        report(f"{what}, {done} replica(s)", running.finish())


def restart_and_check(fleet, port):
    """A restart, and `ghi check` through it."""
    command = [fleet.ghi, "check", f"http://127.0.0.1:{FRONT}"]
    # Slowly enough to last until the replica is back.
    check = subprocess.Popen([*command, "--rate", "4"], stdout=subprocess.PIPE, text=True)
    fleet.restart(port)
    text = check.communicate()[0]
    judge(check.returncode == 0, f"ghi check ends with {check.returncode}:\n{text}")


def same_tags(known):
    """The same tag from all replicas, and 304 from each for another's."""
    for port in [*REPLICAS, FRONT]:
        for path, (tag, _) in known.items():
            judge(get(port, path)[1]["etag"] == tag, f"{path} has another tag on port {port}")
            status = get(port, path, {"If-None-Match": tag})[0]
            judge(status == 304, f"{path} is {status} to who knows its tag, on port {port}")


def provoke(known):
    """Failures that clients ask for reach them as they are, and take no replica out."""
    with load(known, verdict_by({"today": known})) as running:
        # Often enough to reach each replica; longer than a balancer waits for other requests.
        for preference, expected in [("code=503", 503)] * 6 + [("code=500", 500)] * 6 + [("delay=2500", 200)]:
            status, headers, _ = get(FRONT, PATHS[0], {"Prefer": preference})
            applied = headers["preference-applied"]
            judge((status, applied) == (expected, preference), f"{preference} is {status}, {applied}")
        tally = running.finish()
    report("beside failures that clients ask for", tally)
    judge(not tally.late, "a failure that a client asked for held up others")


def other_inputs(text):
    """The same network with another seed, which gives other figures."""
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
    report(f"other inputs, {old_ones:,} answers of the old and {new_ones:,} of the new", tally)
    judge(old_ones and new_ones, "both versions were to be seen")
    same_tags(new)


def wrong_clock(ghi, front, folder, inputs, right, wrong):
    """The third replica has a wrong clock: each answer is of the day that its own `Date` says."""
    versions = {at[:10]: version(ghi, inputs, at) for at in (right, wrong)}
    by_version = verdict_by(versions)

    def verdict(asked, answer, seen):
        date = time.strptime(answer.header("date"), "%a, %d %b %Y %H:%M:%S GMT")
        day, hour = time.strftime("%Y-%m-%d", date), time.strftime("%H", date)
        seen["ahead"] += hour == wrong[11:13]
        if answer.header("etag") != versions[day][asked[0]][0]:
            return f"figures of another day than {day}"
        return by_version(asked, answer, seen)

    with Fleet(ghi, front, folder, inputs, (right, right, wrong)):
        with load(versions[right[:10]], verdict) as running:
            time.sleep(1)
            tally = running.finish()
    share = f"{tally.seen['ahead'] / tally.requests:.0%} of the answers are of the wrong one"
    what = "an hour" if len(versions) == 1 else "an hour and so a day"
    report(f"a clock that is {what} ahead, {share}", tally)
    judge(tally.seen["ahead"], "no answer is of the replica with the wrong clock")


def behind(front, ghi, short):
    print(f"behind {front.name}:", flush=True)
    requests = 0 if short else REQUESTS
    built_in = (ROOT / "crates/ghi-engine/inputs.toml").read_text()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        inputs, changed = folder / "inputs.toml", folder / "changed.toml"
        inputs.write_text(built_in)
        changed.write_text(other_inputs(built_in))
        today = version(ghi, inputs)
        with Fleet(ghi, front, folder, inputs) as fleet:
            same_tags(today)
            restart = lambda port: restart_and_check(fleet, port)  # noqa: E731
            disturb("rolling restart beside ghi check", today, restart, len(REPLICAS), requests)
            disturb("kill -9", today, fleet.kill, 1, requests)
            disturb("hang", today, fleet.hang, 1, requests)
            provoke(today)
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
