#!/usr/bin/env python3
"""Checks that a feed parser reads the feed without warnings, and that it has the same data as the API.

    python3 -m venv target/venv
    target/venv/bin/pip install -r checks/requirements.txt
    target/venv/bin/python checks/feed.py [--ghi BINARY]
"""

import csv
import io
import urllib.request

import feedparser

import server

PORT = 18348
BASE = f"http://127.0.0.1:{PORT}"


def get(path):
    with urllib.request.urlopen(BASE + path) as response:
        return response.read(), response.headers


def main():
    given = server.arguments(__doc__)
    with server.Server(given.ghi, PORT, "--at", "2026-11-16T12:00:00Z", "--public-url", "https://ghi.example"):
        text, headers = get("/feed.xml")
        feed = feedparser.parse(text, response_headers=dict(headers))
        rows = list(csv.DictReader(io.StringIO(get("/export/history.csv?range=30d")[0].decode())))
    assert not feed.bozo, feed.bozo_exception
    assert feed.version == "atom10", feed.version
    entries = feed.entries
    assert len(entries) == len(rows) == 30
    assert len({entry.id for entry in entries}) == 30
    for entry, row in zip(entries, reversed(rows), strict=True):
        average = f"${float(row['avg_cost_usd']) + 1e-9:,.0f}"
        assert average in entry.title and "synthetic data" in entry.title, (entry.title, average)
        assert entry.updated.startswith(row["date"]), entry.updated
        assert entry.link == f"https://ghi.example/explain?date={row['date']}", entry.link
    print(f"30 entries, the newest: {entries[0].title}")


if __name__ == "__main__":
    main()
