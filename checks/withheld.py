#!/usr/bin/env python3
"""Checks that no client gets `/metrics` through the load balancers and caches in `deploy/`, however it spells the
request target, and that other paths in the same spellings reach the server.

    python3 checks/withheld.py [--ghi BINARY]

Sends each target over a plain socket, because HTTP libraries normalize it. Needs haproxy, nginx, varnish and openssl;
takes about five seconds.
"""

import re
import socket
import sys
import tempfile
from pathlib import Path

import server
from fronts import FRONTS, REPLICAS, NginxTls
from server import ROOT, Server, get

PORT = 18330
METRICS = b"ghi_build_info"
OTHER = "healthz"
# Ways to write a request target whose path is /metrics, or becomes it when decoded or normalized.
SPELLINGS = [
    "/{}",
    "/{}/",
    "/{}?x",
    "/{}#x",
    "/{}/?x#y",
    "//{}",
    "/./{}",
    "/x/../{}",
    "/{encoded}",
    "/{upper}",
    "/{};x",
    "http://x/{}",
    "HTTP://x/{}",
    "https://x/{}",
    "HTTPS://x/{}",
    "https://x:1/{}/",
    "https://u@x/{}?y",
    "ftp://x/{}",
]


def target(spelling, name):
    return spelling.format(name, encoded=f"%{ord(name[0]):02x}{name[1:]}", upper=name.upper())


def ask(front, target, *lines):
    """Returns the status and the rest of the response, or None if there is none."""
    with socket.create_connection(("127.0.0.1", front.port), timeout=5) as plain, front.secured(plain) as client:
        head = [f"GET {target} HTTP/1.1", "Host: x", "Connection: close", *lines, "", ""]
        client.sendall("\r\n".join(head).encode())
        answer = b""
        while part := client.recv(65536):
            answer += part
    status = re.match(rb"HTTP/1\.1 (\d+) ", answer)
    return status and int(status[1]), answer


def check(front, running):
    """Returns what is wrong with a front."""
    wrong = []
    for spelling in SPELLINGS:
        metrics = target(spelling, "metrics")
        status, answer = ask(front, metrics)
        if status == 200 or METRICS in answer:
            wrong.append(f"{front.name} returns {status} for {metrics}")
    if ask(front, "/metrics")[0] != 404:
        wrong.append(f"{front.name} does not return 404 for /metrics")
    reached = sum(ask(front, target(each, OTHER))[0] == 200 for each in SPELLINGS)
    print(f"{front.name}: {len(SPELLINGS)} spellings, {len(wrong)} problems; {reached} of them reach another path")
    for each in ("/{}", "/{}?x", "http://x/{}"):
        if ask(front, target(each, OTHER))[0] != 200:
            wrong.append(f"{front.name} does not return 200 for {target(each, OTHER)}")
    running.assert_alive()
    return wrong + (wrong_logs_and_redirects(front) if isinstance(front, NginxTls) else [])


def wrong_logs_and_redirects(front):
    lines = front.access_log.read_text().splitlines()
    wrong = [] if any(f'"GET /{OTHER} HTTP/1.1" 200' in line for line in lines) else ["the access log lacks a request"]
    _, headers, _ = get(front.port + 1, "/v1/ghi/snapshot?x")
    if headers["Location"] != f"https://{front.HOST}/v1/ghi/snapshot?x":
        wrong.append(f"{front.name} redirects to {headers['Location']}")
    return wrong


def main():
    ghi = server.arguments(__doc__).ghi
    folders = [ROOT / "deploy" / name for name in ("haproxy", "nginx", "varnish")]
    shipped = {f"{folder.name}/{file.name}" for folder in folders for file in folder.iterdir()}
    assert shipped == {front.file for front in FRONTS}, f"the files in deploy/ are {shipped}"
    wrong = []
    with Server(ghi, 0, "--trusted-proxy", "127.0.0.1", "--rate-limit", 0) as running:
        assert METRICS in get(running.port, "/metrics")[2], "the server itself shows no metrics"
        for kind in FRONTS:
            with tempfile.TemporaryDirectory() as folder, kind(Path(folder), PORT, [running.port] * REPLICAS) as front:
                wrong += check(front, running)
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(str(error))
