#!/usr/bin/env python3
"""Compares every figure with a second implementation, written from docs/methodology.md.

    python3 checks/reproduce.py [--ghi BINARY]

Starts servers with many inputs on many days, recomputes every figure they publish, and compares
every digit. The model is in checks/second_model.py, the inputs are in checks/sample_inputs.py.
"""

import csv
import hashlib
import http.client
import json
import random
import re
import sys
import tempfile
from collections import Counter
from datetime import date
from itertools import chain
from pathlib import Path

from sample_inputs import dated_series, other_networks
from second_model import DAY_0, ROLES, Model
from server import ROOT, Server, arguments

BUILT_IN = ROOT / "crates/ghi-engine/inputs.toml"
ENVELOPE = {"version", "timestamp_utc", "engine_sandbox_version"}
NO_FIGURES = {"status": 503, "code": "no_figures"}
FIRST, LAST = (day.toordinal() - DAY_0 for day in (date.min, date.max))
LONGEST_RANGE = 3660
# Values other than figures: compared, but not counted.
LABEL = re.compile(r"/(id|name|region_id|currency|date|region_count|forecast_days)$")

# Leap days and the days around them, ends of years, the last possible day, and both sides of a boundary
# between epochs of 14 days, which start at day 0.
DATES = """1970-01-01 1970-01-07 1970-01-14 1970-01-15 1972-02-29 1999-12-31 2000-02-29 2000-03-01
2024-02-28 2024-02-29 2024-03-01 2024-12-31 2025-01-01 2026-11-15 2100-02-28 2100-03-01 2400-02-29
5000-06-15 9996-02-29 9999-12-30 9999-12-31""".split()
TIMES = ["00:00:00Z", "00:00:00.000001Z", "12:34:56Z", "23:59:59Z", "23:59:59.999999Z"]


class Comparison:
    """Counts the compared figures by kind, and collects those that differ."""

    def __init__(self):
        self.compared = Counter()
        self.different = []

    def texts(self, kind, where, expected, got):
        """Compares two mappings of names to strings; a missing name is a difference."""
        for name in expected | got:
            self.compared[kind] += not LABEL.search(name)
            if expected.get(name) != got.get(name):
                self.different.append((kind, f"{where} {name}", expected.get(name), got.get(name)))

    def report(self):
        differ = Counter(kind for kind, *_ in self.different)
        for kind, count in sorted(self.compared.items()):
            print(f"{kind:16} {count:8,} compared {differ[kind]:8,} differ")
        print(f"{'total':16} {self.compared.total():8,} compared {len(self.different):8,} differ")
        for kind, where, expected, got in self.different[:10]:
            print(f"{kind} {where}\n    expected {expected}\n    got      {got}")
        return 1 if self.different else 0


def number(units, decimals):
    """Formats a number as in CSV: with all decimals."""
    digits = str(units).zfill(decimals + 1)
    return f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits


def json_number(units, decimals):
    """Formats a number as in JSON: without trailing zeros, but with at least one decimal."""
    whole, _, fraction = number(units, decimals).partition(".")
    return f"{whole}.{fraction.rstrip('0') or '0'}"


def leaves(document, name=""):
    """Returns every value of a document by its path."""
    if isinstance(document, dict | list):
        pairs = document.items() if isinstance(document, dict) else enumerate(document)
        return {k: v for key, part in pairs for k, v in leaves(part, f"{name}/{key}").items()}
    return {name: document}


def iso(day):
    return date.fromordinal(day + DAY_0).isoformat()


def costs(model, units, prefix="", text=number):
    return {f"{prefix}{role}_cost_usd": text(cost, model.usd) for role, cost in zip(ROLES, units)}


def costs_json(model, units, prefix=""):
    return costs(model, units, prefix, json_number)


def network(model, figures, text=number):
    return {
        "hashrate_eh": text(figures.hashrate, model.hashrate_eh),
        "difficulty": text(figures.difficulty, 0),
        "avg_fee_usd": text(figures.fee, model.usd),
    }


def costs_of(figures, scope):
    return figures.everywhere if scope == "global" else figures.regions[scope]


def documents(model, today):
    """Yields each path with its expected document, without the envelope; None if a day has no data."""
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
    yield "network", "/v1/ghi/network", network(model, figures, json_number)
    predicted = {"predicted_avg_cost_usd": json_number(model.forecast(today), model.usd)}
    for days in [1, 7, 365]:
        forecast = {"forecast_days": days} | predicted
        yield "forecast", f"/v1/ghi/forecast?forecast_days={days}", forecast
    indicator = {"date": iso(today), "currency": "USD"} | costs_json(model, everywhere)
    yield "indicator", "/v1/ghi/indicator", indicator


def tables(model, first, last):
    """Yields each path with its expected cells, row by row; none if no day has data."""
    range_ = f"from={iso(first)}&to={iso(last)}"
    days = [(iso(day), figures) for day in range(first, last + 1) if (figures := model.figures(day))]
    for scope in ["global", *(region["id"] for region in model.regions)]:
        rows = [
            {"date": day, "region_id": scope, "currency": "USD", **costs(model, costs_of(of_day, scope))}
            for day, of_day in days
        ]
        yield "history.csv", f"/export/history.csv?region_id={scope}&{range_}", rows
    rows = [{"date": day} | network(model, of_day) for day, of_day in days]
    yield "network.csv", f"/export/network.csv?{range_}", rows


def values(status, path, body):
    """Returns a response without its envelope, with numbers as strings."""
    if status != 200:
        return {"status": status, "code": json.loads(body)["code"]}
    if path.startswith("/export"):
        return leaves(list(csv.DictReader(body.splitlines())))
    document = json.loads(body, parse_float=str)
    return leaves({name: value for name, value in document.items() if name not in ENVELOPE})


def compare_server(compare, model, ghi, instant, ranges=()):
    """Compares everything that one server publishes on its day, and tables for ranges of days."""
    where = f"{model.path.name} {instant}"
    today = date.fromisoformat(instant[:10]).toordinal() - DAY_0
    inputs = [] if model.path == BUILT_IN else ["--inputs", model.path]
    with Server(ghi, 0, "--at", instant, "--rate-limit", 0, *inputs) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

        def get(path):
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, path, answer.read().decode()

        of_ranges = (tables(model, first, last) for first, last in ranges)
        for kind, path, expected in chain(documents(model, today), *of_ranges):
            kind, wanted = (kind, leaves(expected)) if expected else ("not covered", NO_FIGURES)
            compare.texts(kind, f"{where} {path}", wanted, values(*get(path)))
        label = re.search(r'ghi_build_info\{[^}]*inputs_fingerprint="([^"]*)"', get("/metrics")[2])
        fingerprint = hashlib.sha256(b"".join(file.read_bytes() for file in model.files)).hexdigest()
        compare.texts("fingerprint", where, {"": fingerprint}, {"": label and label[1]})


def covered(model):
    """Finds the first and last covered days by trial."""
    days = [day for day in range(19_000, 22_000) if model.covers(day)]
    return days[0], days[-1]


def main():
    ghi = arguments(__doc__).ghi
    # Every run uses the same days and networks.
    dice = random.Random(1970)
    compare = Comparison()

    def instant(day):
        return f"{iso(day)}T{dice.choice(TIMES)}"

    def any_range(days):
        first = dice.randint(FIRST, LAST - days)
        return first, first + days - 1

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = Model(BUILT_IN)
        days = [date.fromisoformat(text).toordinal() - DAY_0 for text in DATES]
        for day in [*days, *(dice.randint(0, LAST) for _ in range(20))]:
            compare_server(compare, model, ghi, instant(day))
        ranges = [(FIRST, FIRST + 400), (-200, 200), (LAST - 400, LAST), any_range(LONGEST_RANGE)]
        compare_server(compare, model, ghi, instant(0), ranges)

        files = [*sorted((ROOT / "examples").glob("*.toml")), *other_networks(BUILT_IN, folder, dice)]
        for model in map(Model, files):
            for _ in range(3):
                compare_server(compare, model, ghi, instant(dice.randint(0, LAST)), [any_range(200)])

        files = [ROOT / "examples/own-series/inputs.toml", *dated_series(BUILT_IN, folder)]
        for model in map(Model, files):
            first, last = covered(model)
            # A history needs seven days, so the first is on the sixth day after the first covered day.
            for day in [first - 1, first, first + 5, first + 6, last, last + 1, last + 7]:
                compare_server(compare, model, ghi, instant(day))
            ranges = [(first - 40, last + 40), (first - 20, first - 1), (last + 1, last + 1)]
            compare_server(compare, model, ghi, instant((first + last) // 2), ranges)
    sys.exit(compare.report())


if __name__ == "__main__":
    main()
