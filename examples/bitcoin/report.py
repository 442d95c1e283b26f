#!/usr/bin/env python3
"""Compares the edition with published estimates: writes docs/bitcoin.svg, the tables of docs/bitcoin.md, and the
citation and the reports in docs/releases.md.

    python3 examples/bitcoin/report.py [--check] [--ghi BINARY]

With --check, compares the files with what it would write. The costs are those of the server.
"""

import csv
import datetime
import io
import json
import math
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import make

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
DOCS = ROOT / "docs"
sys.path.append(str(ROOT / "checks"))
import server  # noqa: E402

FIRST, LAST = "2016-01-01", "2026-05-18"
INPUTS = tomllib.loads((FOLDER / "inputs.toml").read_text())
OVERHEAD = INPUTS["network"]["overhead"]
# The 80% interval is the cost divided and multiplied by this.
SIGMA = math.hypot(*INPUTS["uncertainty"].values()) / 100
FACTOR = math.exp(1.2815516 * SIGMA)

# Mean electricity prices of miners that others published or assumed for the world, USD/kWh.
POWER = [("2019-06-06", 0.050, "CoinShares, assumed"), ("2019-12-12", 0.040, "CoinShares, assumed"),
         ("2020-05-15", 0.052, "Blockware: clients with 20% of the hashrate"), ("2022-12-15", 0.050, "Luxor: miners on the grid"),
         ("2024-06-30", 0.045, "Cambridge survey, median of firms with 48% of the hashrate")]

# Percentiles of the curve of this edition before it had a fleet, USD.
CURVES = {"2025-04-30": [40246, 50139, 76745], "2026-04-30": [37577, 45986, 72276]}

# Machines that lose money, by CoinShares (Bitcoin Mining Report, Q1 2026, as quoted in the press on this day): the
# revenue in USD per PH/s and day, and the percentage of this edition's hashrate that cost more before it had a fleet.
UNPROFITABLE = ("2026-03-26", 33, 28)

X0, X1, Y0, Y1 = 64, 704, 24, 336
COLORS = {"energy": "#b45309", "cash": "#1d4ed8", "all-in": "#7c3aed"}


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


class Index:
    """The edition, as the server publishes it."""

    def __init__(self, port):
        self.port = port
        self.by_day = {row["date"]: float(row["avg_cost_usd"]) for row in self.export(f"history.csv?from={FIRST}&to={LAST}")}

    def export(self, path):
        status, _, body = server.get(self.port, f"/export/{path}")
        assert status == 200, body
        return rows_of(body.decode())

    def share_below(self, date, usd):
        """Returns the percentage of the hashrate that mines a coin for this cost or less."""
        return float(self.export(f"economics.csv?date={date}&price={usd:.2f}")[0]["hashrate_below_price_pct"])


def read(name):
    return rows_of((FOLDER / name).read_text())


NETWORK, REGIONS = read("network.csv"), read("regions.csv")


def at(rows, date):
    """Returns the last row on or before a date."""
    return [row for row in rows if row["date"] <= date][-1]


def hashes_per_coin(date):
    row = at(NETWORK, date)
    return float(row["difficulty"]) * 2**32 / float(row["block_reward_coins"])


def capital(date):
    """Returns the cost of machines per coin."""
    usd_per_th = float(at(NETWORK, date)["capital_usd_per_th"])
    return hashes_per_coin(date) / (1e12 * INPUTS["capital"]["years"] * 31_557_600) * usd_per_th


def scopes(cash, date):
    return {"energy": cash / OVERHEAD, "cash": cash, "all-in": cash + capital(date)}


def comparison(index):
    compared, all_inside = {}, []
    for row in read("published.csv"):
        date, scope, theirs, cash = row["date"], row["scope"], float(row["usd_per_coin"]), index.by_day[row["date"]]
        low, ours, high = (scopes(usd, date)[scope] for usd in (cash / FACTOR, cash, cash * FACTOR))
        result = (date, ours / theirs, low <= theirs <= high)
        all_inside.append(result[-1])
        for who in (row["publisher"], "**all**"):
            compared.setdefault((list(COLORS).index(scope), who, scope), []).append(result)
    yield "| scope | by | dates | figures | ours / theirs, median | from | to | inside the 80% interval |"
    yield "|---|---|---|---|---|---|---|---|"
    for (_, who, scope), results in sorted(compared.items()):
        dates, ratios, inside = zip(*results)
        years = " to ".join(sorted({min(dates)[:7], max(dates)[:7]}))
        figures = " | ".join(f"{ratio:.2f}" for ratio in (statistics.median(ratios), min(ratios), max(ratios)))
        yield f"| {scope} | {who} | {years} | {len(results)} | {figures} | {sum(inside)} |"
    yield ""
    yield f"Only {sum(all_inside)} of the {len(all_inside)} figures are inside the interval, not 80% of them: it covers errors in this edition's inputs,"
    yield "but not differences in what others count as cost. \"Likely\" on the dashboard has the same meaning."


def mean_efficiency(date):
    rows = [row for row in REGIONS if row["date"] == at(REGIONS, date)["date"]]
    return sum(float(row["hashrate_share_pct"]) * float(row["efficiency_j_per_th_mean"]) for row in rows) / 100


def mean_price(date):
    """Returns the mean price of electricity, weighted by energy."""
    rows = [row for row in REGIONS if row["date"] == at(REGIONS, date)["date"]]
    energy = [float(row["hashrate_share_pct"]) * float(row["efficiency_j_per_th_mean"]) for row in rows]
    prices = [float(row["electricity_usd_per_kwh_mean"]) for row in rows]
    return sum(part * usd for part, usd in zip(energy, prices)) / sum(energy)


def efficiency(_):
    yield "| date | ours, J/TH | published, J/TH | by | difference |"
    yield "|---|---|---|---|---|"
    deviations = []
    for row in read("efficiency.csv"):
        if row["calibrates"]:
            ours, theirs = mean_efficiency(row["date"]), float(row["j_per_th"])
            deviations.append(abs(ours / theirs - 1))
            yield f"| {row['date']} | {ours:.1f} | {theirs:.1f} | {row['publisher']} | {ours / theirs - 1:+.0%} |"
    means = [(mean_efficiency(f"{month}-01"), month) for month in make.MONTHS]
    change, month = max((abs(after / before - 1), month) for (before, _), (after, month) in zip(means, means[1:]))
    yield ""
    yield f"The largest difference is {max(deviations):.1%}, the median {statistics.median(deviations):.1%}. The largest change from one month to the next is"
    yield f"{change:.1%}, in {month}."


def power(_):
    yield "| date | ours, USD/kWh | published, USD/kWh | by | difference |"
    yield "|---|---|---|---|---|"
    for date, theirs, who in POWER:
        ours = mean_price(date)
        yield f"| {date} | {ours:.4f} | {theirs:.4f} | {who} | {ours / theirs - 1:+.0%} |"


def pairs():
    """Returns published efficiencies divided by CBECI's of the same day, interpolated."""
    rows = read("efficiency.csv")
    cbeci = [(row["date"], float(row["j_per_th"])) for row in rows if row["publisher"] == "CBECI" and not row["calibrates"]]
    for row in rows:
        if row["kind"] == "published" and row["date"] <= cbeci[-1][0]:
            yield float(row["j_per_th"]) / make.interpolated(cbeci, make.year_of(row["date"]))


def rms(ratios):
    return math.sqrt(statistics.mean(math.log(ratio) ** 2 for ratio in ratios))


def uncertainty(_):
    chosen = INPUTS["uncertainty"]
    prices = rms([mean_price(date) / theirs for date, theirs, _ in POWER])
    yield "| input | standard error | evidence |"
    yield "|---|---|---|"
    yield f"| electricity | {chosen['electricity_pct']}% | our price differs from the published ones below by {prices:.0%} (root mean square) |"
    yield f"| efficiency | {chosen['efficiency_pct']}% | published means of the same month differ by {rms(pairs()):.0%} (root mean square of {len(list(pairs()))} pairs) |"
    yield f"| overhead | {chosen['overhead_pct']}% | 1.15 (CoinShares, 2019), 1.23 (Cambridge, cost per MWh), 1.25 (Cambridge, share of electricity) |"
    yield ""
    yield f"Together they are {SIGMA:.0%}: the 80% interval of a cost runs from {1 - 1 / FACTOR:.0%} below to {FACTOR - 1:.0%} above it."


def curve(index):
    yield "| date | p25 | p50 | p75 | |"
    yield "|---|---|---|---|---|"
    for date, before in CURVES.items():
        row = index.export(f"distribution.csv?date={date}")[0]
        now = [float(row[f"p{percent}_cost_usd"]) for percent in (25, 50, 75)]
        for figures, what in [(before, "before"), (now, "now")]:
            yield f"| {date} | {' | '.join(f'{usd:,.0f}' for usd in figures)} | {what} |"
    yield "| 2025-03-31 | | 64,000 | | median of listed firms, by TheMinerMag |"
    date, revenue, before = UNPROFITABLE
    usd = revenue / 86_400e15 * hashes_per_coin(date)
    yield ""
    yield "In March 2026, CoinShares estimated that 15% to 20% of all machines lost money (Bitcoin Mining Report, Q1 2026, quoted in the"
    yield f"press of {date}, when the revenue was {revenue} USD per PH/s and day, or {usd:,.0f} USD per coin). In this edition, {100 - index.share_below(date, usd):.0f}% of"
    yield f"the hashrate costs more than that; before, it was {before}%."


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
    for height, date in make.HALVINGS[1:]:
        x, coins = across(date), 50 / 2 ** (height // make.HALVINGS[0][0])
        yield f'<path d="M{x:.1f} {Y0}V{Y1}" stroke="#999" stroke-dasharray="3 3"/>'
        yield f'<text x="{x + 4:.1f}" y="{Y0 + 10}" fill="#555">{coins:g} coins</text>'
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


class Release:
    """A release of the edition in a temporary folder."""

    def __init__(self, ghi, folder):
        self.ghi, self.folder, self.path = ghi, Path(folder), Path(folder, "release")
        self.run("release", self.path, "--inputs", FOLDER / "inputs.toml")

    def run(self, *words, code=0):
        done = subprocess.run([self.ghi, *words], capture_output=True, text=True)
        assert done.returncode == code, done
        return done.stdout


def citation(release):
    lines = (release.path / "CITATION.cff").read_text().splitlines()
    cited = {name: json.loads(value) for name, value in (line.split(": ", 1) for line in lines if ": " in line)}
    publisher, title, version = cited["  - name"], cited["title"], cited["version"]
    year, what = cited["date-released"][:4], "Global HashCost Index: cost of mining one bitcoin"
    yield f"> {publisher} ({year}). *{title}*. {what} [Data set]. Version {version}."
    yield ""
    yield "```bibtex"
    yield f"@misc{{ghi-bitcoin-{cited['version'][:12]},"
    yield f"  author       = {{{{{publisher}}}}},"
    yield f"  title        = {{{title}}},"
    yield f"  howpublished = {{{what}. Data set}},"
    yield f"  note         = {{Version {version}}},"
    yield f"  year         = {{{year}}}"
    yield "}"
    yield "```"


def release_check(release):
    """Shows the report on a release with one changed digit."""
    changed = release.folder / "changed"
    shutil.copytree(release.path, changed)
    header, row, rest = (changed / "figures.csv").read_bytes().split(b"\n", 2)
    cells = row.split(b",")
    cells[4] = b"%.2f" % (float(cells[4]) + 0.01)
    (changed / "figures.csv").write_bytes(b"\n".join([header, b",".join(cells), rest]))
    yield "```"
    yield from release.run("release", "--check", changed, code=1).splitlines()
    yield "```"


def difference(release):
    """Shows what follows from one changed electricity price."""
    changed = release.folder / "inputs"
    shutil.copytree(release.path / "inputs", changed)
    rows = (changed / "regions.csv").read_text().splitlines()
    at = next(at for at, row in enumerate(rows) if row.startswith("2024-03-01,us,"))
    cells = rows[at].split(",")
    cells[7] = f"{float(cells[7]) + 0.001:.4f}"
    rows[at] = ",".join(cells)
    (changed / "regions.csv").write_text("\n".join(rows) + "\n")
    yield "```"
    day = "2024-03-28"
    yield from release.run("diff", release.path, changed / "inputs.toml", "--from", day, "--to", day, code=1).splitlines()
    yield "```"


def filled(name, parts, given):
    """Returns a page with new parts."""
    page = (DOCS / name).read_text()
    for part in parts:
        marks = [f"<!-- {part.__name__} -->\n", f"<!-- end of {part.__name__} -->"]
        text = marks[0] + "\n".join(part(given)) + "\n" + marks[1]
        page, count = re.subn(marks[0] + ".*?" + marks[1], lambda _: text, page, flags=re.S)
        assert count == 1, part
    return page


def main():
    given = server.arguments(__doc__, check=False)
    with server.Server(given.ghi, 0, "--inputs", FOLDER / "inputs.toml", "--at", LAST) as running:
        index = Index(running.port)
        page = filled("bitcoin.md", (comparison, uncertainty, efficiency, power, curve), index)
    with tempfile.TemporaryDirectory() as folder:
        releases = filled("releases.md", (citation, release_check, difference), Release(given.ghi, folder))
    # One point in four days is enough for a line.
    thinned = {date: usd for number, (date, usd) in enumerate(index.by_day.items()) if number % 4 == 0}
    for name, text in [("bitcoin.svg", "\n".join(chart(thinned)) + "\n"), ("bitcoin.md", page), ("releases.md", releases)]:
        if not given.check:
            (DOCS / name).write_text(text)
        elif (DOCS / name).read_text() != text:
            sys.exit(f"docs/{name} is out of date; run report.py")


if __name__ == "__main__":
    main()
