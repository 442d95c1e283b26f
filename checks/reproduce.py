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
from decimal import Decimal
from itertools import chain
from math import floor
from pathlib import Path

from sample_inputs import dated_series, other_networks
from second_model import DAY_0, EFFICIENCIES, PRICES, ROLES, Model, costs_of, percentile
from server import ROOT, Server, arguments

BUILT_IN = ROOT / "crates/ghi-engine/inputs.toml"
ENVELOPE = {"version", "timestamp_utc", "engine_sandbox_version"}
NO_FIGURES = {"status": 503, "code": "no_figures"}
FIRST, LAST = (day.toordinal() - DAY_0 for day in (date.min, date.max))
LONGEST_RANGE = 11_000
PERCENTILES = [5, 10, 25, 50, 75, 90, 95]
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


def plain(value):
    """Formats a double in the fewest digits, without an exponent."""
    text = f"{Decimal(repr(value)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def significant(value):
    """Formats a double with six significant digits; with an exponent below 1e-6 and from 1e15 on."""
    value = float(f"{value:.5e}")
    if value == 0 or 1e-6 <= value < 1e15:
        return plain(value)
    _, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    digits = "".join(map(str, digits))
    rest = f".{digits[1:]}" if digits[1:] else ""
    return f"{digits[0]}{rest}e{exponent + len(digits) - 1}"


def curve(model, figures, day):
    """The rows of the cost curve of a day."""
    ids = sorted(figures.regions, key=lambda id: (figures.regions[id][1], id))
    names = {region["id"]: region["name"] for region in model.regions}
    cumulative = 0
    for id in ids:
        cumulative += figures.shares[id]
        shares = {"hashrate_share_pct": figures.shares[id], "cumulative_share_pct": cumulative}
        row = {"date": iso(day), "region_id": id, "name": names[id]}
        row |= {name: number(share, 2) for name, share in shares.items()}
        row |= costs(model, figures.regions[id])
        if model.capital:
            full = figures.regions[id][1] + model.capital_cost(figures)
            row["full_cost_usd"] = number(full, model.usd)
        yield row


def merit_order(model, figures, day):
    rows = []
    for id, efficiency, share, costs_ in figures.parts:
        units = [floor(cost + 0.5) for cost in costs_]
        rows.append((units[1], id, float(f"{efficiency:.9g}"), share, units))
    for _, id, efficiency, share, units in sorted(rows):
        row = {"date": iso(day), "region_id": id, "efficiency_j_per_th": plain(efficiency)}
        row["hashrate_share_pct"] = number(floor(share / 100 * 10**6 + 0.5), 6)
        yield row | costs(model, units)


def economics(model, figures, day, price):
    energy, all_in, low, high = model.levels(figures)
    power, twh = model.power(figures)
    ratio = revenue = hashprice = usd_per_kwh = j_per_th = below = None
    if price is not None:
        ratio, revenue, hashprice, usd_per_kwh, j_per_th, below = model.economics(figures, price)

    def cell(write, *value):
        return "" if value[0] is None else write(*value)

    return {
        "date": iso(day),
        "price_usd": cell(number, price, model.usd),
        "avg_cost_usd": number(figures.everywhere[1], model.usd),
        "price_to_cost": number(*ratio) if ratio else "",
        "hashprice_usd_per_ph_day": number(*hashprice) if hashprice else "",
        "break_even_usd_per_kwh": cell(significant, usd_per_kwh),
        "break_even_j_per_th": cell(significant, j_per_th),
        "hashrate_below_price_pct": cell(number, below, 2),
        "energy_cost_usd": number(energy, model.usd),
        "all_in_cost_usd": cell(number, all_in, model.usd),
        "low_cost_usd": cell(number, low, model.usd),
        "high_cost_usd": cell(number, high, model.usd),
        "revenue_to_cost": number(*revenue) if revenue else "",
        "power_gw": number(*power),
        "energy_twh_per_year": number(*twh),
    }


def inputs(figures, day, id):
    efficiencies, prices, overhead = figures.inputs[id]
    row = {"date": iso(day), "region_id": id, "difficulty": str(figures.difficulty)}
    row |= {"block_reward_coins": plain(figures.reward)}
    row |= {"hashrate_share_pct": number(figures.shares[id], 2)}
    row |= {f"efficiency_j_per_th_{n}": plain(value) for n, value in zip(EFFICIENCIES, efficiencies)}
    row |= {f"electricity_usd_per_kwh_{n}": plain(value) for n, value in zip(PRICES, prices)}
    return row | {"overhead": plain(overhead)}


def economic_tables(model, first, last):
    """Yields each path of the cost curve, prices and inputs with its expected cells."""
    range_ = f"from={iso(first)}&to={iso(last)}"
    days = [(day, of_day) for day in range(first, last + 1) if (of_day := model.figures(day))]
    for day, of_day in days[:: max(1, len(days) // 20)]:
        rows = list(curve(model, of_day, day))
        yield "cost-curve.csv", f"/export/cost-curve.csv?date={iso(day)}", rows
        rows = list(merit_order(model, of_day, day))
        yield "merit-order.csv", f"/export/merit-order.csv?date={iso(day)}", rows
    rows = [
        {"date": iso(day)}
        | {f"p{p}_cost_usd": number(percentile(of_day, p), model.usd) for p in PERCENTILES}
        for day, of_day in days
    ]
    yield "distribution.csv", f"/export/distribution.csv?{range_}", rows
    own = 12345 * 10**model.usd
    rows = [economics(model, of_day, day, own) for day, of_day in days]
    yield "economics.csv", f"/export/economics.csv?price=12345&{range_}", rows
    rows = [economics(model, of_day, day, of_day.price) for day, of_day in days]
    yield "economics.csv", f"/export/economics.csv?{range_}", rows
    rows = [inputs(of_day, day, r["id"]) for day, of_day in days for r in model.regions]
    yield "inputs.csv", f"/export/inputs.csv?{range_}", rows


def changes(model, first, last):
    """Yields the differences between the published and the expected parts of a change."""
    days = [day for day in range(first, last + 1) if model.figures(day)]
    some = days[:: max(1, len(days) // 12)]
    for since, day in sorted({(min(pair), max(pair)) for pair in zip(some, reversed(some))}):
        for scope in ["global", *(region["id"] for region in model.regions)]:
            parts, total = model.change(scope, since, day)
            rows = [
                {
                    "factor": name,
                    "from": from_,
                    "to": to,
                    "change_pct": half_away(effect),
                    "change_usd": units / 10**model.usd,
                }
                for name, from_, to, effect, units in parts
            ]
            target = f"/export/explain.json?region_id={scope}&date={iso(day)}&since={iso(since)}"
            yield target, rows, total / 10**model.usd


def half_away(hundredths):
    """Rounds to whole hundredths, halves away from zero, and returns percent."""
    whole = int(abs(hundredths) + 0.5)
    return (-whole if hundredths < 0 else whole) / 100


def compare_changes(compare, where, get, expected):
    for target, rows, total in expected:
        document = json.loads(get(target)[2])
        wanted = leaves({"changes": rows, "total_change_usd": total})
        got = leaves({name: document.get(name) for name in ("changes", "total_change_usd")})
        compare.texts("change", f"{where} {target}", wanted, got)


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

        short = [range_ for range_ in ranges if range_[1] - range_[0] <= 500]
        of_ranges = [tables(model, first, last) for first, last in ranges]
        of_ranges += [economic_tables(model, first, last) for first, last in short]
        for first, last in short:
            compare_changes(compare, where, get, changes(model, first, last))
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
