#!/usr/bin/env python3
"""Checks every kind of response with httplint, the linter behind REDbot.

    python3 -m venv target/venv
    target/venv/bin/pip install -r checks/requirements.txt
    target/venv/bin/python checks/headers.py [--ghi BINARY]
"""

import contextlib
import io
import sys
from unittest.mock import patch

import httplint.cli
import server

PORT = 18347
GZIP = "Accept-Encoding: gzip"

# Requests: method, target and headers. Without preflights, because httplint sees only the response and complains
# about its headers, and without 414, which it always reports.
KINDS = [
    *[("GET", f"/v1/ghi/{name}") for name in ("metadata", "regions", "regions/us", "snapshot", "history")],
    *[("GET", f"/v1/ghi/{name}") for name in ("network", "forecast", "indicator")],
    *[("GET", path, GZIP) for path in ("/", "/docs", "/openapi.json", "/assets/reference.js", "/llms.txt")],
    *[("GET", path) for path in ("/", "/problems/not_found", "/charts/regions.svg", "/export/snapshot.csv")],
    *[("GET", path) for path in ("/healthz", "/readyz", "/metrics", "/robots.txt")],
    ("GET", "/v1/ghi/snapshot", "Prefer: return=minimal"),
    ("GET", "/v1/ghi/snapshot", "If-None-Match: *"),
    ("GET", "/", GZIP, "If-None-Match: *"),
    ("GET", "/v1/ghi/snapshot", "X-Request-Id: a-1"),
    ("GET", "/v1/ghi/forecast?forecast_days=0"),
    ("GET", "/v1/ghi/regions/nowhere"),
    ("GET", "/v1/ghi/snapshot#x"),
    ("DELETE", "/v1/ghi/snapshot"),
    ("HEAD", "/v1/ghi/snapshot"),
    ("OPTIONS", "/v1/ghi/snapshot"),
]


def bad_notes(running, method, target, *headers):
    """Returns the bad notes for a response."""
    lines = [f"{method} {target} HTTP/1.1", "Host: test", "Connection: close", *headers]
    with running.connect() as client:
        client.sendall("\r\n".join([*lines, "", ""]).encode())
        response = b"".join(iter(lambda: client.recv(1 << 20), b""))
    assert response.startswith(b"HTTP/1.1 "), f"{method} {target} got no response"
    # httplint cannot know that a response without content belongs to a HEAD request.
    if method == "HEAD":
        response = response.replace(b"content-length", b"x-content-length")
    # In this process, because starting one for each response takes most of the time.
    given = io.TextIOWrapper(io.BytesIO(response))
    with patch("sys.argv", ["httplint", "--now"]), patch("sys.stdin", given), contextlib.redirect_stdout(io.StringIO()) as notes:
        httplint.cli.main()
    assert notes.getvalue(), f"httplint says nothing about {method} {target}"
    return [note for note in notes.getvalue().splitlines() if "[BAD]" in note]


def main():
    with server.Server(server.arguments(__doc__).ghi, PORT) as running:
        found = [(kind, note) for kind in KINDS for note in bad_notes(running, *kind)]
    for kind, note in found:
        print(*kind, note)
    if found:
        sys.exit("httplint reports problems")
    print(f"{len(KINDS)} kinds of responses, no problems")


if __name__ == "__main__":
    main()
