#!/usr/bin/env python3
"""Recomputes forecasts from docs/methodology.md, and keeps the record of the Bitcoin edition in docs/bitcoin.md.

    python3 checks/forecast.py [--write] [--ghi BINARY]

Compares every forecast, interval, error and score that a server publishes for the edition, and for its network with a
single region of constant factors, with its own. Then compares the table in docs/bitcoin.md with the scores; with
--write, writes it.
"""

import bisect
import csv
import datetime
import io
import math
import re
import tempfile
from pathlib import Path

import server

EDITION = server.ROOT / "examples/bitcoin"
PAGE = server.ROOT / "docs/bitcoin.md"
HORIZONS = [1, 7, 14, 30, 90, 180, 365]
SINCE = "2018-01-01"
CONSTANT = """seed = 1
[network]
hashrate_eh = 800
block_reward_coins = 3.125
fee_usd = 1
overhead = 1.25
retarget_blocks = 2016
halving_blocks = 210000
[movement]
difficulty_pct = 0
hashrate_pct = 0
fee_pct = 0
electricity_pct = 0
[capital]
usd_per_th = 14
years = 4
[series]
network = "network.csv"
[[region]]
id = "all"
name = "All"
hashrate_share_pct = 100
efficiency_j_per_th = { best = 16, mean = 19, worst = 22 }
electricity_usd_per_kwh = { low = 0.04, mean = 0.05, high = 0.06 }
"""


def day_number(text):
    return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days


def table(running, path):
    status, _, body = server.get(running.port, path)
    assert status == 200, f"{path}: {body}"
    return list(csv.DictReader(io.StringIO(body.decode())))


class Forecasts:
    """The forecasts from daily rows of the network and the daily averages, in cents."""

    def __init__(self, network, averages):
        self.days = [day_number(row["date"]) for row in network]
        self.heights = [int(row["height"]) for row in network]
        self.averages = averages
        self.changes = {day: self.changes_of(at) for at, day in enumerate(self.days) if day in averages}

    def changes_of(self, at):
        """Returns the days from which the cost is expected to change, and the factors."""
        day, height, n = self.days[at], self.heights[at], 144
        mined = height % 2016 + 1
        before = at
        while before >= 0 and self.heights[before] > height - mined:
            before -= 1
        days = mined / n
        if before >= 0:
            part = (height - mined - self.heights[before]) / (self.heights[before + 1] - self.heights[before])
            days = day - (self.days[before] + part * (self.days[before + 1] - self.days[before]))
        pace = min(max((mined + 250) / (n * days + 250), 0.7), 1.4)
        left = (2016 - mined) / (n * pace)
        change = min(max(2016 / (n * (days + left)), 0.25), 4)
        changes = [(day + math.ceil(left), change)]
        for halving in range(1, 5):
            blocks = halving * 210_000 - height % 210_000
            more = max(blocks - (2016 - mined), 0)
            changes.append((day + math.ceil((blocks - more) / (n * pace) + more / n), 2))
        return changes

    def predicted(self, day, horizon):
        factor = math.prod(factor for since, factor in self.changes[day] if since <= day + horizon)
        return math.floor(self.averages[day] * factor + 0.5)

    def rows(self, horizon):
        """Yields each day with its forecast, its interval and the actual average."""
        errors, first_due, last_due = [], None, None
        for day in self.averages:
            made = day - horizon
            if made in self.averages:
                bisect.insort(errors, math.log(self.averages[day] / self.predicted(made, horizon)))
                first_due, last_due = first_due or day, day
            predicted, interval = self.predicted(day, horizon), None
            if len(errors) >= 30 and last_due - first_due >= 10 * horizon:
                interval = [math.floor(predicted * math.exp(quantile(errors, part)) + 0.5) for part in (0.1, 0.9)]
            yield day, predicted, interval, self.averages.get(day + horizon)


def quantile(ordered, part):
    at = (len(ordered) - 1) * part
    low = ordered[int(at)]
    return low + (ordered[min(int(at) + 1, len(ordered) - 1)] - low) * (at % 1)


def cents(text):
    return int(text.replace(".", "")) if text else None


def compare(running, forecasts, horizon, first, last):
    """Compares all forecasts for a horizon, and returns those that are scored."""
    published = table(running, f"/export/forecast.csv?forecast_days={horizon}&from={first}&to={last}")
    own = list(forecasts.rows(horizon))
    assert len(published) == len(own), (len(published), len(own))
    scored = []
    for row, (day, predicted, interval, actual) in zip(published, own):
        found = [cents(row[name]) for name in ("predicted_avg_cost_usd", "low_cost_usd", "high_cost_usd", "actual_avg_cost_usd")]
        assert day_number(row["date"]) == day and found == [predicted, *(interval or [None] * 2), actual], (row, predicted)
        if actual and row["date"] >= SINCE:
            error = abs(predicted / actual - 1)
            assert cents(row["error_pct"]) == math.floor(10_000 * error + 0.5), row
            inside = None if interval is None else interval[0] <= actual <= interval[1]
            scored.append((error, abs(forecasts.averages[day] / actual - 1), inside))
    return scored


def check(ghi, inputs, last):
    """Returns the scores of a server with these inputs, after recomputing them."""
    with server.Server(ghi, 0, "--inputs", inputs, "--at", last) as running:
        network = list(csv.DictReader((EDITION / "network.csv").open()))
        first = network[0]["date"]
        history = table(running, f"/export/history.csv?from={first}&to={last}")
        forecasts = Forecasts(network, {day_number(row["date"]): cents(row["avg_cost_usd"]) for row in history})
        scores = table(running, f"/export/forecast-score.csv?from={SINCE}")
        for score, horizon in zip(scores, HORIZONS, strict=True):
            errors, repeated, inside = zip(*compare(running, forecasts, horizon, history[0]["date"], last))
            inside = [100 * value for value in inside if value is not None]
            own = [100 * sum(errors) / len(errors), 100 * sum(repeated) / len(errors), sum(errors) / sum(repeated)]
            own.append(sum(inside) / len(inside) if inside else None)
            found = [float(score[name]) if score[name] else None for name in list(score)[2:]]
            assert int(score["forecasts"]) == len(errors)
            for one, other in zip(own, found, strict=True):
                assert one == other or abs(one - other) < 0.0051, (score, own)
        return scores


def main():
    given = server.arguments(__doc__, write=False)
    last = list(csv.DictReader((EDITION / "network.csv").open()))[-1]["date"]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "inputs.toml").write_text(CONSTANT)
        Path(folder, "network.csv").write_text((EDITION / "network.csv").read_text())
        constant = check(given.ghi, Path(folder, "inputs.toml"), last)
    edition = check(given.ghi, EDITION / "inputs.toml", last)
    lines = ["| days ahead | forecasts | mean error | repeating today | ratio | inside the interval | ratio, all inputs |", "|---|---|---|---|---|---|---|"]
    for own, whole in zip(constant, edition):
        days, count, error, repeated, ratio, inside = own.values()
        inside = f"{inside}%" if inside else "–"
        lines.append(f"| {days} | {int(count):,} | {error}% | {repeated}% | {ratio} | {inside} | {whole['ratio']} |")
    text = PAGE.read_text()
    written = re.sub(r"(?s)(<!-- forecast -->\n).*?(\n<!-- /forecast -->)", lambda found: found[1] + "\n".join(lines) + found[2], text)
    if given.write:
        PAGE.write_text(written)
    assert given.write or text == written, f"the table of forecasts in {PAGE} is out of date; use --write"
    print("\n".join(lines))


if __name__ == "__main__":
    main()
