#!/usr/bin/env python3
"""Compares the largest responses with nginx, which sends the same bytes as a static file.

    python3 bench/large.py [--ghi BINARY] [--seconds 1] [--rounds 9] [--connections 16]

Needs wrk and nginx; takes a minute. The network has 256 regions, the most that inputs may have. Each round loads nginx, a bare
hyper server, which only copies the same bytes into the kernel, this server, and this
server with `Accept-Encoding: gzip`, once each. Ratios are computed per round,
and the table shows medians. The servers have one worker and one core each; wrk has the other cores.
"""

import argparse
import os
import statistics
import tempfile
import urllib.request
from pathlib import Path

from compare import Servers, build, measure
from scale import inputs

PATHS = ["/v1/ghi/snapshot", "/v1/ghi/regions"]
GZIP = "Accept-Encoding: gzip"


CORES = sorted(os.sched_getaffinity(0))


def stay_on(cores):
    """Pins this process, and those it starts from now on, to these cores."""
    if len(CORES) > 1:
        os.sched_setaffinity(0, cores)


def size_of_gzip(url):
    """Returns the size of the compressed body, or None if the server does not compress."""
    request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request) as answer:
        return len(answer.read()) if answer.headers["Content-Encoding"] == "gzip" else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--ghi", type=Path, help="measure this binary instead of building one")
    parser.add_argument("--seconds", type=int, default=1, help="duration of each load")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ghi, bare = build(arguments.ghi)
        stay_on(CORES[: arguments.workers])
        servers = Servers(arguments.workers, ghi, bare, inputs=inputs(folder))
        try:
            print(
                "| document | server | bytes | requests/s | MB/s | x nginx | CPU us/request "
                "| x nginx | x plain | MB |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
            )
            for path in PATHS:
                report(servers, path, arguments)
        finally:
            servers.stop_all()


def report(servers, path, arguments):
    stay_on(CORES[: arguments.workers])
    _, body = servers.serve_alike(path)
    stay_on(CORES[arguments.workers :] or CORES)
    names = ["nginx", *(["bare hyper"] if servers.bare else []), "ghi"]
    kinds = {name: (name, (), len(body)) for name in names}
    if compressed := size_of_gzip(f"http://{servers.address('ghi')}{path}"):
        kinds["ghi, gzip"] = ("ghi", (GZIP,), compressed)
    samples = {kind: [] for kind in kinds}
    for warm in [True] + [False] * arguments.rounds:
        for kind, (name, headers, _) in kinds.items():
            sample = measure(servers, name, path, arguments.connections, arguments.seconds, headers)
            if not warm:
                samples[kind].append(sample)
    for kind, (_, _, size) in kinds.items():
        rate, _, _, micros, memory = map(statistics.median, zip(*samples[kind]))

        def ratio(column, peer):
            pairs = zip(samples[kind], samples[peer])
            return statistics.median(own[column] / other[column] for own, other in pairs)

        print(
            f"| `{path}` | {kind} | {size:,} | {rate:,.0f} | {rate * size / 1e6:,.0f} "
            f"| {ratio(0, 'nginx'):.2f} | {micros:,.1f} | {ratio(3, 'nginx'):.2f} "
            f"| {ratio(3, 'ghi'):.2f} | {memory:.1f} |",
            flush=True,
        )
    if "ghi, gzip" not in kinds:
        print(f"`{path}` is not compressed by this binary")


if __name__ == "__main__":
    main()
