#!/usr/bin/env python3
"""A second implementation of the figures, written from docs/methodology.md alone, beside the first.

    python3 checks/reproduce.py --binary target/release/ghi

Starts servers with many inputs on many days, recomputes every figure that they publish, and compares
the digits. The model is in checks/second_model.py; here are the inputs, the days and the comparison.
"""

import argparse
import hashlib
import http.client
import json
import random
import re
import sys
import tempfile
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

from second_model import DAY_0, ROLES, Model
from server import ROOT, TARGET, Server

BUILT_IN = ROOT / "crates/ghi-engine/inputs.toml"
ENVELOPE = {"version", "timestamp_utc", "engine_sandbox_version"}
LONGEST_RANGE = 3660
LAST = date.max.toordinal() - DAY_0

# Leap days and the days around them, ends of years, the first and the last day of all, and both sides
# of a boundary of epochs of 14 days, which day 0 begins.
DATES = """1970-01-01 1970-01-07 1970-01-14 1970-01-15 1972-02-29 1999-12-31 2000-02-29 2000-03-01
2024-02-28 2024-02-29 2024-03-01 2024-12-31 2025-01-01 2026-11-15 2100-02-28 2100-03-01 2400-02-29
5000-06-15 9996-02-29 9999-12-30 9999-12-31""".split()
TIMES = ["00:00:00Z", "00:00:00.000001Z", "12:34:56Z", "23:59:59Z", "23:59:59.999999Z"]


class Comparison:
    """How many figures were compared, by kind, and which differ."""

    def __init__(self):
        self.compared = Counter()
        self.different = []

    def texts(self, kind, where, expected, got):
        """Compares two mappings of names to texts; a name that one of them lacks is a difference."""
        for name in expected.keys() | got.keys():
            self.compared[kind] += 1
            if expected.get(name) != got.get(name):
                self.different.append((kind, f"{where} {name}", expected.get(name), got.get(name)))

    def report(self):
        differ = Counter(kind for kind, *_ in self.different)
        for kind, count in sorted(self.compared.items()):
            print(f"{kind:16} {count:8,} compared {differ[kind]:8,} differ")
        print(f"{'in all':16} {self.compared.total():8,} compared {len(self.different):8,} differ")
        for kind, where, expected, got in self.different[:10]:
            print(f"{kind} {where}\n    expected {expected}\n    got      {got}")
        return 1 if self.different else 0


def number(units, decimals):
    """As CSV has it: with all decimals."""
    digits = str(units).zfill(decimals + 1)
    return f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits


def json_number(units, decimals):
    """As JSON has it: without zeros at the end, but with one decimal at least."""
    whole, _, fraction = number(units, decimals).partition(".")
    return f"{whole}.{fraction.rstrip('0') or '0'}"


def leaves(document, name=""):
    """Every value of a JSON document, by its path."""
    if isinstance(document, dict | list):
        pairs = document.items() if isinstance(document, dict) else enumerate(document)
        return {k: v for key, part in pairs for k, v in leaves(part, f"{name}/{key}").items()}
    return {name: document}


def iso(day):
    return date.fromordinal(day + DAY_0).isoformat()


def costs_json(model, costs, prefix=""):
    return {f"{prefix}{role}_cost_usd": json_number(cost, model.usd) for role, cost in zip(ROLES, costs)}


def costs_of(figures, scope):
    return figures.everywhere if scope == "global" else figures.regions[scope]


def documents(model, today):
    """Path, and what the document there says beside its envelope; None where a day has no figures."""
    figures = model.figures(today)
    names = {region["id"]: region["name"] for region in model.regions}
    for scope in ["global", *names]:
        week = [(day, model.figures(day)) for day in range(today - 6, today + 1)]
        points = [
            {"date": iso(day), "currency": "USD", **costs_json(model, costs_of(of_day, scope))}
            for day, of_day in week
            if of_day
        ]
        history = {"region_id": scope, "points": points} if len(points) == 7 else None
        yield "history", f"/v1/ghi/history?region_id={scope}", history
    if not figures:
        for path in ["snapshot", "network", "forecast", "indicator", *(f"regions/{id}" for id in names)]:
            yield "not covered", f"/v1/ghi/{path}", None
        return
    everywhere = figures.everywhere
    regions = [
        {"id": id, "name": name, "region_id": id, "currency": "USD"}
        | costs_json(model, figures.regions[id])
        for id, name in names.items()
    ]
    snapshot = {"region_count": len(names), "regions": regions}
    yield "snapshot", "/v1/ghi/snapshot", snapshot | costs_json(model, everywhere, "global_")
    for id, name in names.items():
        share = {"hashrate_share_pct": json_number(figures.shares[id], 2)}
        detail = {"region_id": id, "name": name} | costs_json(model, figures.regions[id]) | share
        yield "region detail", f"/v1/ghi/regions/{id}", detail
    network = {
        "hashrate_eh": json_number(figures.hashrate, model.hashrate_eh),
        "difficulty": json_number(figures.difficulty, 0),
        "avg_fee_usd": json_number(figures.fee, model.usd),
    }
    yield "network", "/v1/ghi/network", network
    predicted = {"predicted_avg_cost_usd": json_number(model.forecast(today), model.usd)}
    for days in [1, 7, 365]:
        forecast = {"forecast_days": days} | predicted
        yield "forecast", f"/v1/ghi/forecast?forecast_days={days}", forecast
    indicator = {"date": iso(today), "currency": "USD"} | costs_json(model, everywhere)
    yield "indicator", "/v1/ghi/indicator", indicator


def tables(model, first, last):
    """Path, and the cells that stand there, row by row; None where no day of the range has figures."""
    range_ = f"from={iso(first)}&to={iso(last)}"
    days = [(iso(day), figures) for day in range(first, last + 1) if (figures := model.figures(day))]
    for scope in ["global", *(region["id"] for region in model.regions)]:
        head = ["date", "region_id", "currency", *(f"{role}_cost_usd" for role in ROLES)]
        rows = [
            [day, scope, "USD", *(number(cost, model.usd) for cost in costs_of(figures, scope))]
            for day, figures in days
        ]
        yield "history.csv", f"/export/history.csv?region_id={scope}&{range_}", days and [head, *rows]
    head = ["date", "hashrate_eh", "difficulty", "avg_fee_usd"]
    rows = [
        [day, number(f.hashrate, model.hashrate_eh), str(f.difficulty), number(f.fee, model.usd)]
        for day, f in days
    ]
    yield "network.csv", f"/export/network.csv?{range_}", days and [head, *rows]


def compare_server(compare, model, ghi, flags, instant, ranges=()):
    """Compares everything that one server publishes on its day, and tables of ranges of days."""
    where = f"{model.path.name} {instant}"
    today = date.fromisoformat(instant[:10]).toordinal() - DAY_0
    with Server(ghi, 0, "--at", instant, "--rate-limit", 0, *flags) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

        def get(path):
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

        def compare_answer(kind, path, expected, read):
            status, body = get(path)
            if expected and status == 200:
                compare.texts(kind, f"{where} {path}", leaves(expected), leaves(read(body)))
                return
            code = json.loads(body)["code"] if status >= 400 else None
            says, wanted = (status, code), (200, None) if expected else (503, "no_figures")
            compare.texts(kind if expected else "not covered", where, {path: wanted}, {path: says})

        def without_envelope(body):
            document = json.loads(body, parse_float=str)
            return {name: value for name, value in document.items() if name not in ENVELOPE}

        for kind, path, expected in documents(model, today):
            compare_answer(kind, path, expected, without_envelope)
        for first, last in ranges:
            for kind, path, expected in tables(model, first, last):
                compare_answer(kind, path, expected, lambda body: [row.split(",") for row in body.splitlines()])
        label = re.search(r'ghi_build_info\{[^}]*inputs_fingerprint="([^"]*)"', get("/metrics")[1])
        fingerprint = hashlib.sha256(b"".join(file.read_bytes() for file in model.files)).hexdigest()
        compare.texts("fingerprint", where, {"": fingerprint}, {"": label and label[1]})
