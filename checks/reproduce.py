#!/usr/bin/env python3
"""A second implementation of the figures, written from docs/methodology.md alone, beside the first.

    python3 checks/reproduce.py --binary target/release/ghi

Starts servers with many inputs on many days, recomputes every figure that they publish, and compares
the digits. The model is in checks/second_model.py; here are the inputs, the days and the comparison.
"""

import argparse
import csv
import hashlib
import http.client
import json
import random
import re
import sys
import tempfile
import tomllib
from collections import Counter
from datetime import date
from pathlib import Path

from second_model import DAY_0, ROLES, Model
from server import ROOT, TARGET, Server

BUILT_IN = ROOT / "crates/ghi-engine/inputs.toml"
ENVELOPE = {"version", "timestamp_utc", "engine_sandbox_version"}
LONGEST_RANGE = 3660
# Values that stand beside figures: compared, but not counted.
LABEL = re.compile(r"/(id|name|region_id|currency|date|region_count|forecast_days)$")
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
        for name in expected | got:
            self.compared[kind] += not LABEL.search(name)
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
    yield "network", "/v1/ghi/network", network(model, figures, json_number)
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
        rows = [
            {"date": day, "region_id": scope, "currency": "USD", **costs(model, costs_of(of_day, scope))}
            for day, of_day in days
        ]
        yield "history.csv", f"/export/history.csv?region_id={scope}&{range_}", rows
    rows = [{"date": day} | network(model, of_day) for day, of_day in days]
    yield "network.csv", f"/export/network.csv?{range_}", rows


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
                compare_answer(kind, path, expected, lambda body: list(csv.DictReader(body.splitlines())))
        label = re.search(r'ghi_build_info\{[^}]*inputs_fingerprint="([^"]*)"', get("/metrics")[1])
        fingerprint = hashlib.sha256(b"".join(file.read_bytes() for file in model.files)).hexdigest()
        compare.texts("fingerprint", where, {"": fingerprint}, {"": label and label[1]})


def toml(inputs):
    """An inputs file: of its tables, those of numbers and the list of regions."""
    lines = [f"seed = {inputs['seed']}"]
    for name, table in inputs.items():
        if isinstance(table, dict):
            lines += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    for region in inputs["region"]:
        lines.append("[[region]]")
        for key, value in region.items():
            inline = isinstance(value, dict) and ", ".join(f"{k} = {v!r}" for k, v in value.items())
            lines.append(f"{key} = {{ {inline} }}" if inline else f"{key} = {json.dumps(value)}")
    return "\n".join(lines) + "\n"


def variants(built_in):
    """Names and inputs: the built-in ones with other values in some tables."""
    movement = built_in["movement"]
    wide = dict(zip(movement, [50, 30, 90, 50, 20, 90]))
    changes = {
        "seed-0": {"seed": 0},
        "seed-largest": {"seed": 2**63 - 1},
        "still": {"movement": dict.fromkeys(movement, 0)},
        "wide": {"movement": wide, "decimals": {"usd": 3}},
        "retarget-0": {"network": {"retarget_days": 0}},
        "retarget-1": {"network": {"retarget_days": 1}},
        "retarget-30": {"network": {"retarget_days": 30}},
        "retarget-64": {"network": {"retarget_days": 64}, "movement": movement | {"difficulty_pct": 50}},
        "no-decimals": {"decimals": {"usd": 0, "hashrate_eh": 0}, "network": {"fee_usd": 100}},
        "many-decimals": {"decimals": {"usd": 7, "hashrate_eh": 11}},
    }
    for name, change in changes.items():
        tables = {k: built_in[k] | v if isinstance(v, dict) else v for k, v in change.items()}
        yield name, built_in | tables
    # What may be left out.
    optional = {"seconds_per_block", "hashes_per_difficulty", "retarget_days", "weekday_pct", "spread_pct"}
    short = {k: v for k, v in built_in.items() if k != "decimals"}
    for table in ["network", "movement"]:
        short[table] = {k: v for k, v in built_in[table].items() if k not in optional}
    yield "short", short


def any_network(dice):
    """Inputs with random values, of up to six regions."""

    def among(low, high, digits=6):
        return float(f"{dice.uniform(low, high):.{digits}g}")

    cuts = sorted(dice.sample(range(1, 10_000), dice.randint(0, 5)))
    regions = []
    for index, (low, high) in enumerate(zip([0, *cuts], [*cuts, 10_000])):
        efficiency, price = among(10, 40), among(0.03, 0.2)
        regions.append(
            {
                "id": f"r{index}-{dice.randint(0, 999)}",
                "name": f"Region {index}",
                "hashrate_share_pct": (high - low) / 100,
                "efficiency_j_per_th": dict(best=efficiency, mean=efficiency * 1.2, worst=efficiency * 1.5),
                "electricity_usd_per_kwh": dict(low=price, mean=price * among(1, 2), high=price * 3),
            }
        )
    network = {
        "hashrate_eh": among(1, 1000),
        "block_reward_coins": among(0.1, 50),
        "fee_usd": among(1, 10),
        "overhead": among(1, 3),
        "seconds_per_block": among(10, 1000),
        "hashes_per_difficulty": dice.choice([2**32, 2**40 + 1, 1e12]),
        "retarget_days": dice.randint(0, 64),
    }
    limits = dict(difficulty_pct=50, hashrate_pct=30, fee_pct=90, electricity_pct=50, weekday_pct=20)
    return {
        "seed": dice.getrandbits(63),
        "network": network,
        "decimals": {"usd": dice.randint(3, 6), "hashrate_eh": dice.randint(0, 8)},
        "movement": {name: among(0, limit) for name, limit in (limits | {"spread_pct": 90}).items()},
        "region": regions,
    }


# Dated series of the built-in regions: columns that are missing, cells that are empty, shares that
# change, regions that are not named, rows of one region on days of their own.
NETWORKS = {
    "full": """date,difficulty,hashrate_eh,fee_usd,block_reward_coins,x_note
2024-02-01,8e13,600.123,1.005,6.25,"a, b"
2024-02-29,81000000000000.5,,,,
2024-03-01,82123456789012,,2.5,3.125,
2024-04-20,9.1e13,655.55,,3.125,
""",
    "difficulty": "date,difficulty\n2024-02-10,8.5e13\n2024-03-10,8.7e13\n",
}
REGIONS = {
    "full": """date,region_id,hashrate_share_pct,efficiency_j_per_th_best,efficiency_j_per_th_mean,\
efficiency_j_per_th_worst,electricity_usd_per_kwh_low,electricity_usd_per_kwh_mean,electricity_usd_per_kwh_high
2024-01-15,us,60,18,20,22,0.047,0.054,0.061
2024-02-14,us,50.25,,,,,,
2024-02-14,eu,20.75,15,16,17,0.05,0.06,0.07
2024-02-14,cn,29,,20.5,,,0.05,
2024-03-01,eu,20.75,,,18,0.0635,,
2024-03-05,us,50.25,,20.5,,,0.0605,
2024-03-05,cn,29,,,,,,0.0495
2024-03-20,us,50.25,,,,0.0545,,0.0555
2024-03-20,eu,20.75,,,,,0.0555,
""",
    "mean price": """date,region_id,electricity_usd_per_kwh_mean
2024-02-20,eu,0.056
2024-03-20,eu,0.07
""",
    "shares": """date,region_id,hashrate_share_pct
2024-02-20,us,40
2024-02-20,eu,33.33
2024-02-20,cn,26.67
2024-03-01,eu,43.33
2024-03-01,us,30
""",
}


def dated_series(built_in, folder):
    """Inputs files with dated series beside them."""
    pairs = [("full", "full"), ("full", None), ("difficulty", "mean price"), (None, "shares"), (None, "full")]
    pairs += [("difficulty", None), ("difficulty", "shares")]
    for index, (network, regions) in enumerate(pairs):
        series = {"valid_days": [45, 0, 10][index % 3]} if index else {}
        for kind, text in [("network", network and NETWORKS[network]), ("regions", regions and REGIONS[regions])]:
            if text:
                series[kind] = f"{kind}-{index}.csv"
                (folder / series[kind]).write_text(text)
        path = folder / f"series-{index}.toml"
        path.write_text(toml(built_in | {"series": series}))
        yield path


def days_at_the_edges(model):
    """Of dated series: the first and the last day with figures, days around them, and some between."""
    days = [day for day in range(19_000, 22_000) if model.covers(day)]
    first, last, middle = days[0], days[-1], days[len(days) // 2]
    return [first - 1, first, first + 5, first + 6, middle, last, last + 1, last + 6, last + 7], (first - 40, last + 40)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--binary", type=Path, default=TARGET / "release/ghi", help="the server to check")
    ghi = parser.parse_args().binary
    dice = random.Random(1970)
    compare = Comparison()

    def instant(day):
        return f"{iso(day)}T{dice.choice(TIMES)}"

    def any_range(days):
        first = dice.randint(1 - DAY_0, LAST - days)
        return first, first + days - 1

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = Model(BUILT_IN)
        for at in [f"{day}T{dice.choice(TIMES)}" for day in DATES]:
            compare_server(compare, model, ghi, [], at)
        edges = [(1 - DAY_0, 400 - DAY_0), (-200, 200), (LAST - 400, LAST)]
        ranges = [*edges, any_range(LONGEST_RANGE)]
        compare_server(compare, model, ghi, [], instant(dice.randint(6, LAST)), ranges)

        built_in = tomllib.loads(BUILT_IN.read_text())
        networks = [*variants(built_in), *((f"any-{n}", any_network(dice)) for n in range(8))]
        files = sorted((ROOT / "examples").glob("*.toml"))
        for name, inputs in networks:
            files.append(folder / f"{name}.toml")
            files[-1].write_text(toml(inputs))
        for path in files:
            model = Model(path)
            for _ in range(3):
                at = instant(dice.randint(0, LAST))
                compare_server(compare, model, ghi, ["--inputs", path], at, [any_range(200)])

        for path in [ROOT / "examples/own-series/inputs.toml", *dated_series(built_in, folder)]:
            model = Model(path)
            days, around = days_at_the_edges(model)
            for day in days:
                compare_server(compare, model, ghi, ["--inputs", path], instant(day))
            ranges = [around, (around[0], around[0] + 20)]
            compare_server(compare, model, ghi, ["--inputs", path], instant(days[4]), ranges)
    sys.exit(compare.report())


if __name__ == "__main__":
    main()
