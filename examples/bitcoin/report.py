#!/usr/bin/env python3
"""Compares the edition with published estimates: writes docs/bitcoin.svg and the tables of docs/bitcoin.md.

    python3 examples/bitcoin/report.py [--ghi BINARY]

The costs are those that `ghi show history` prints.
"""

import argparse
import csv
import datetime
import io
import math
import re
import statistics
import subprocess
from pathlib import Path

import make

FOLDER = Path(__file__).parent
DOCS = FOLDER.parent.parent / "docs"
FIRST, LAST = "2016-01-01", "2026-05-18"
OVERHEAD = 1.23
DATES = ["2018-12-15", "2020-05-12", "2022-07-01", "2024-04-21", "2026-05-01"]

# E: what new machines cost, USD per TH/s, from a date on. Remembered levels of the market, within a factor of 1.5; they
# are used for the full cost in docs/bitcoin.md and nowhere else.
MACHINES = [("2016-01-01", 160), ("2018-01-01", 150), ("2018-07-01", 60), ("2018-11-01", 30), ("2019-04-01", 45),
            ("2020-03-01", 24), ("2021-01-01", 60), ("2022-04-01", 45), ("2022-10-01", 20), ("2024-01-01", 17),
            ("2026-01-01", 14)]
YEARS = 4

# Mean J/TH of the network, published or derived from published power.
EFFICIENCIES = [("2018-07-01", 125.1, "CBECI"), ("2019-07-01", 94.3, "CBECI"), ("2020-07-01", 46.8, "CBECI"),
                ("2021-07-01", 61.2, "CBECI"), ("2022-07-01", 42.2, "CBECI"), ("2023-04-01", 38.3, "Bitcoin Mining Council"),
                ("2024-01-01", 34.0, "CoinShares"), ("2024-07-01", 28.2, "Cambridge"), ("2025-04-01", 22.5, "CBECI")]

X0, X1, Y0, Y1 = 64, 704, 24, 336
COLORS = {"energy": "#b45309", "cash": "#1d4ed8", "all-in": "#7c3aed"}


def read(name):
    with open(FOLDER / name) as file:
        return list(csv.DictReader(file))


def costs(ghi):
    """Returns the worldwide average of each day."""
    command = [ghi, "show", "history", "--inputs", FOLDER / "inputs.toml", "--at", LAST, "--from", FIRST, "--to", LAST]
    text = subprocess.run([*command, "--format", "csv"], check=True, capture_output=True, text=True).stdout
    return {row["date"]: float(row["avg_cost_usd"]) for row in csv.DictReader(io.StringIO(text))}


def capital(date):
    """Returns the cost of machines per coin."""
    row = [row for row in read("network.csv") if row["date"] <= date][-1]
    hashes = float(row["difficulty"]) * 2**32 / float(row["block_reward_coins"])
    usd_per_th = [usd for since, usd in MACHINES if since <= date][-1]
    return hashes / (1e12 * YEARS * 31_557_600) * usd_per_th


def scopes(cash, date):
    return {"energy": cash / OVERHEAD, "cash": cash, "all-in": cash + capital(date)}


def comparison(by_day):
    yield "| date | energy | cash | full | published | scope | by | ours / theirs |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in read("published.csv"):
        ours, theirs = scopes(by_day[row["date"]], row["date"]), float(row["usd_per_coin"])
        figures = " | ".join(f"{ours[scope]:,.0f}" for scope in COLORS)
        ratio = ours[row["scope"]] / theirs
        yield f"| {row['date']} | {figures} | {theirs:,.0f} | {row['scope']} | {row['publisher']} | {ratio:.2f} |"
    yield ""
    for scope in COLORS:
        rows = [row for row in read("published.csv") if row["scope"] == scope]
        ratios = [scopes(by_day[row["date"]], row["date"])[scope] / float(row["usd_per_coin"]) for row in rows]
        yield f"- {scope}: ours is {statistics.median(ratios):.2f} times the published figure (median; {min(ratios):.2f} to {max(ratios):.2f})"


def sensitivity(by_day):
    yield "| date | cost | power -15% | power +15% | efficiency -10% | efficiency +10% | both low | both high |"
    yield "|---|---|---|---|---|---|---|---|"
    for date in DATES:
        changes = [1, 0.85, 1.15, 0.9, 1.1, 0.85 * 0.9, 1.15 * 1.1]
        yield f"| {date} | " + " | ".join(f"{by_day[date] * change:,.0f}" for change in changes) + " |"


def efficiencies(_):
    yield "| date | machines in use, J/TH | published, J/TH | by | difference |"
    yield "|---|---|---|---|---|"
    for date, theirs, who in EFFICIENCIES:
        _, ours, _ = make.fleet(int(date[:4]) + (int(date[5:7]) - 1) / 12)
        yield f"| {date} | {ours:.1f} | {theirs:.1f} | {who} | {ours / theirs - 1:+.0%} |"


def across(date):
    first, last = (datetime.date.fromisoformat(day).toordinal() for day in (FIRST, LAST))
    return X0 + (X1 - X0) * (datetime.date.fromisoformat(date).toordinal() - first) / (last - first)


def up(usd):
    """Logarithmic, from 100 to 200,000 USD."""
    return Y1 - (Y1 - Y0) * math.log(usd / 100) / math.log(2_000)


def chart(by_day):
    yield '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 380" font-family="sans-serif" font-size="12" role="img">'
    yield "<title>Cost of mining one bitcoin, 2016 to 2026, logarithmic</title>"
    yield '<rect width="720" height="380" fill="#fff"/>'
    for usd in [100, 1_000, 10_000, 100_000]:
        yield f'<path d="M{X0} {up(usd):.1f}H{X1}" stroke="#ddd"/>'
        yield f'<text x="{X0 - 6}" y="{up(usd) + 4:.1f}" text-anchor="end" fill="#555">${usd:,}</text>'
    for year in range(2016, 2027, 2):
        yield f'<text x="{across(f"{year}-01-01"):.1f}" y="{Y1 + 18}" text-anchor="middle" fill="#555">{year}</text>'
    for date, coins in make.REWARDS[1:]:
        x = across(date)
        yield f'<path d="M{x:.1f} {Y0}V{Y1}" stroke="#999" stroke-dasharray="3 3"/>'
        yield f'<text x="{x + 4:.1f}" y="{Y0 + 10}" fill="#555">{coins} coins</text>'
    points = [f"{across(date):.1f} {up(usd):.1f}" for date, usd in by_day.items()]
    yield f'<path d="M{"L".join(points)}" fill="none" stroke="#111" stroke-width="1.5"/>'
    for row in read("published.csv"):
        place = f'cx="{across(row["date"]):.1f}" cy="{up(float(row["usd_per_coin"])):.1f}"'
        yield f'<circle {place} r="3.5" fill="{COLORS[row["scope"]]}" fill-opacity="0.75"/>'
    legend = [("this edition, cash cost", "#111"), *((f"published, {scope}", color) for scope, color in COLORS.items())]
    for index, (label, color) in enumerate(legend):
        x = X0 + index * 165
        yield f'<circle cx="{x + 5}" cy="368" r="4" fill="{color}"/><text x="{x + 14}" y="372" fill="#333">{label}</text>'
    yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--ghi", default="ghi", help="the binary to ask")
    by_day = costs(parser.parse_args().ghi)
    # One point in four days is enough for a line.
    thinned = {date: usd for index, (date, usd) in enumerate(by_day.items()) if index % 4 == 0}
    (DOCS / "bitcoin.svg").write_text("\n".join(chart(thinned)) + "\n")
    page = DOCS / "bitcoin.md"
    text = page.read_text()
    for table in (comparison, sensitivity, efficiencies):
        marks = [f"<!-- {table.__name__} -->\n", f"<!-- end of {table.__name__} -->"]
        text = re.sub(marks[0] + ".*?" + marks[1], lambda _: marks[0] + "\n".join(table(by_day)) + "\n" + marks[1], text, flags=re.S)
    page.write_text(text)


if __name__ == "__main__":
    main()
