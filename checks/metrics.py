#!/usr/bin/env python3
"""Checks that Prometheus' own tools accept the metrics in both formats without warnings.

    python3 -m venv target/venv
    target/venv/bin/pip install -r checks/requirements.txt
    target/venv/bin/python checks/metrics.py [--ghi BINARY]

Needs promtool where `.ci/setup` installs it.
"""

import subprocess

from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics_parser

from server import ROOT, Server, arguments, get

PROMTOOL = ROOT / "target/tools/bin/promtool"

# As Prometheus 2 sends it.
ACCEPT = (
    "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,"
    "text/plain;version=0.0.4;q=0.3,*/*;q=0.1"
)

PROCESS = {
    "process_cpu_seconds_total",
    "process_max_fds",
    "process_open_fds",
    "process_resident_memory_bytes",
    "process_start_time_seconds",
    "process_threads",
    "process_virtual_memory_bytes",
}


def scrape(port, headers=None):
    _, found, body = get(port, "/metrics", headers)
    return found["content-type"], body.decode()


def series(families):
    return {
        (sample.name, frozenset(sample.labels.items()))
        for family in families
        for sample in family.samples
        # The first scrape is counted in the second.
        if sample.labels.get("route") != "/metrics"
    }


def check(port):
    for path in ["/v1/ghi/snapshot", "/v1/ghi/regions/xx", "/nowhere", "/", "/metrics"]:
        get(port, path)
    content_type, prometheus = scrape(port)
    assert content_type == "text/plain; version=0.0.4; charset=utf-8", content_type
    command = [PROMTOOL, "check", "metrics"]
    lint = subprocess.run(command, input=prometheus, capture_output=True, text=True)
    complaints = lint.stdout + lint.stderr
    assert lint.returncode == 0 and not complaints, complaints

    content_type, open_metrics = scrape(port, {"Accept": ACCEPT})
    assert content_type == "application/openmetrics-text; version=1.0.0; charset=utf-8", content_type
    of_open_metrics = series(openmetrics_parser.text_string_to_metric_families(open_metrics))
    of_prometheus = series(parser.text_string_to_metric_families(prometheus))
    assert of_open_metrics == of_prometheus, of_open_metrics ^ of_prometheus
    names = {name for name, _ in of_prometheus}
    assert PROCESS <= names, PROCESS - names
    print(f"{len(of_prometheus)} series in both formats, no warnings")


def main():
    with Server(arguments(__doc__).ghi, 0) as running:
        check(running.port)


if __name__ == "__main__":
    main()
