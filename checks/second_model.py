"""A second implementation of the model, written from docs/methodology.md alone, section by section.

Names and the order of operations are those of that page. Days are numbers; 1970-01-01 is 0. The day `None` is the
one of the forecast, on which nothing moves.
"""

import csv
import tomllib
from bisect import bisect_right
from datetime import date
from functools import cache
from math import floor
from typing import NamedTuple

DAY_0 = date(1970, 1, 1).toordinal()
MASK = 2**64 - 1

# Random numbers


def mix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


@cache
def key_of(seed, name, days):
    key = mix(seed)
    for byte in name.encode():
        key = mix(key ^ byte)
    return mix(key ^ days)


@cache
def uniform(key, index):
    return (mix(key ^ (index & MASK)) >> 11) / 2**52 - 1


def paired(key, index):
    first = uniform(key, index // 2)
    if index % 2 == 0:
        return first
    return first + 1 if first < 0 else first - 1


# Waves. An octave is a pair of days and part.

HASHRATE = [(83, 0.5), (61, 0.5)]
FEE = [(67, 0.4), (29, 0.4), (11, 0.2)]
FEE_PEAKS = [(19, 1.0)]
COMMON_PRICE = [(17, 0.85), (1, 0.15)]
OWN_PRICE = [(19, 0.75), (1, 0.25)]
LOW_OR_HIGH_PRICE = [(41, 1.0)]

WEEKDAYS = [3, 5, 5, 5, 2, -9, -11]


def wave(seed, name, octaves, day, random=uniform):
    if day is None:
        return 0.0
    total = 0.0
    for days, part in octaves:
        key = key_of(seed, name, days)
        index, way = day // days, day % days / days
        eased = way * way * (3 - 2 * way)
        from_, to = random(key, index), random(key, index + 1)
        total += part * (from_ + (to - from_) * eased)
    return total


def scatter(seed, day):
    if day is None:
        return 0.0
    bits = mix(key_of(seed, "hashrate/scatter", 1) ^ (day & MASK))
    return sum(bits >> shift & 0xFFFF for shift in (0, 16, 32, 48)) / 131070 - 1


def weekday(day):
    return 0.0 if day is None else WEEKDAYS[(day + 3) % 7] / 11


def season(day):
    if day is None:
        return 0.0
    x = abs(2 * (day * 400 % 146097 / 146097) - 1)
    return 2 * (x * x * (3 - 2 * x)) - 1


# Figures

# The costs, and the efficiency and price that each is computed from.
ROLES = ["min", "avg", "max"]
EFFICIENCIES = ["best", "mean", "worst"]
PRICES = ["low", "mean", "high"]


class Figures(NamedTuple):
    """The published figures of a day, in units of the last decimal."""

    difficulty: int
    hashrate: int
    fee: int
    shares: dict  # by region id, in hundredths of a percent
    regions: dict  # minimum, average and maximum by region id
    everywhere: list  # the same worldwide


def published(value, decimals):
    return floor(value * float(10**decimals) + 0.5)


def floats(table):
    """Converts all numbers of a table to doubles, including whole numbers."""
    return {name: float(value) for name, value in table.items()}


class Model:
    """Computes figures from an inputs file and the series that it names."""

    def __init__(self, path):
        inputs = tomllib.loads(path.read_text())
        self.path = path
        self.seed = inputs["seed"]
        self.regions = inputs["region"]
        # A `retarget_days` of 0 counts as 1.
        self.retarget_days = inputs["network"].get("retarget_days", 14) or 1
        bitcoin = {"seconds_per_block": 600.0, "hashes_per_difficulty": 4294967296.0}
        self.network = bitcoin | floats(inputs["network"])
        self.movement = {"weekday_pct": 0.0, "spread_pct": 0.0} | floats(inputs["movement"])
        decimals = {"usd": 2, "hashrate_eh": 2} | inputs.get("decimals", {})
        self.usd, self.hashrate_eh = decimals["usd"], decimals["hashrate_eh"]
        self.series = inputs.get("series", {})
        self.files = [path]
        self.network_rows, self.region_rows = Rows(), {}
        for name in ["network", "regions"]:
            if name in self.series:
                self.files.append(path.parent / self.series[name])
                self.read_series(self.files[-1])
        network = self.network
        self.level = (
            network["hashrate_eh"]
            * 1e18
            * network["seconds_per_block"]
            / network["hashes_per_difficulty"]
        )
        # Ranges and histories use a day more than once.
        self.figures = cache(self.figures)
        self.synthetic_difficulty = cache(self.synthetic_difficulty)

    def read_series(self, path):
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                day = date.fromisoformat(row.pop("date")).toordinal() - DAY_0
                region = row.pop("region_id", None)
                rows = self.region_rows.setdefault(region, Rows()) if region else self.network_rows
                cells = {name: float(cell) for name, cell in row.items() if cell and name[:2] != "x_"}
                rows.append(day, cells)

    def covers(self, day):
        valid_days = self.series.get("valid_days", 45)
        series = [self.network_rows, *self.region_rows.values()]
        return all(rows.days[0] <= day <= rows.days[-1] + valid_days for rows in series if rows.days)

    def moving(self, name):
        """Returns a movement in percent as a fraction."""
        return self.movement[name] / 100

    # The network

    def hashrate_wave(self, day):
        return wave(self.seed, "hashrate", HASHRATE, day, random=paired)

    def scatter_factor(self, day):
        return 1 + self.moving("hashrate_pct") * scatter(self.seed, day)

    def hashrate_factor(self, day):
        return (1 + self.moving("difficulty_pct") * self.hashrate_wave(day)) * self.scatter_factor(day)

    def synthetic_difficulty(self, start):
        n = self.retarget_days
        days = [None] if start is None else range(start - n, start)
        total = 0.0
        # Not `sum`, which compensates for rounding errors since Python 3.12.
        for day in days:
            total += self.hashrate_factor(day)
        return floor(self.level * (total / len(days)) + 0.5)

    def difficulty(self, day, row):
        if "difficulty" in row:
            return floor(row["difficulty"] + 0.5)
        n = self.retarget_days
        return self.synthetic_difficulty(None if day is None else day // n * n)

    def hashrate(self, day, row):
        if "hashrate_eh" in row:
            return row["hashrate_eh"]
        network = self.network
        if "difficulty" in row:
            difficulty = float(self.difficulty(day, row))
            implied = difficulty * network["hashes_per_difficulty"] / network["seconds_per_block"] / 1e18
            return implied * self.scatter_factor(day)
        return network["hashrate_eh"] * self.hashrate_factor(day)

    def fee(self, day, row):
        if "fee_usd" in row:
            return row["fee_usd"]
        amount = self.moving("fee_pct")
        swing = amount * wave(self.seed, "fee", FEE, day)
        ratio = (1 + swing) / (1 - swing)
        peak = (1 + wave(self.seed, "fee/peaks", FEE_PEAKS, day)) / 2
        for _ in range(5):
            peak = peak * peak
        of_weekday = 1 + amount * 0.2 * weekday(day)
        return self.network["fee_usd"] * (ratio * ratio * (1 + amount * 90 * peak) * of_weekday)

    # Power prices

    def prices(self, region, day, row):
        id, levels = region["id"], floats(region["electricity_usd_per_kwh"])
        low, mean, high = (levels[name] for name in PRICES)
        of_weekday = self.moving("weekday_pct") * weekday(day)
        common = 0.3 * season(day) + 0.38 * wave(self.seed, "electricity", COMMON_PRICE, day)
        own = 0.32 * wave(self.seed, f"electricity/{id}", OWN_PRICE, day)
        mean_price = mean * (1 + self.moving("electricity_pct") * (common + own) + of_weekday)
        low_wave = wave(self.seed, f"electricity/low/{id}", LOW_OR_HIGH_PRICE, day)
        high_wave = wave(self.seed, f"electricity/high/{id}", LOW_OR_HIGH_PRICE, day)
        spread = self.moving("spread_pct")
        low_price = mean_price / (1 + (mean / low - 1) * (1 + spread * low_wave))
        high_price = mean_price * (1 + (high / mean - 1) * (1 + spread * high_wave))
        # Prices that a row does not give are computed as if there were no row, but do not cross the mean.
        moved = zip(PRICES, [low_price, mean_price, high_price])
        low_price, mean_price, high_price = (
            row.get(f"electricity_usd_per_kwh_{name}", price) for name, price in moved
        )
        return [min(low_price, mean_price), mean_price, max(high_price, mean_price)]

    # Costs, aggregation, rounding

    def costs(self, region, difficulty, reward, day, row):
        hashes = float(difficulty) * self.network["hashes_per_difficulty"] / reward
        levels = floats(region["efficiency_j_per_th"])
        efficiencies = [row.get(f"efficiency_j_per_th_{name}", levels[name]) for name in EFFICIENCIES]
        return [
            published(hashes * efficiency / 1e12 / 3.6e6 * price * self.network["overhead"], self.usd)
            for efficiency, price in zip(efficiencies, self.prices(region, day, row))
        ]

    def figures(self, day):
        """Returns the figures of a day; None if it is not covered."""
        if day is not None and not self.covers(day):
            return None
        row = self.network_rows.on(day)
        difficulty = self.difficulty(day, row)
        reward = row.get("block_reward_coins", self.network["block_reward_coins"])
        shares, regions = {}, {}
        for region in self.regions:
            id = region["id"]
            of_region = self.region_rows.get(id, Rows()).on(day)
            share = of_region.get("hashrate_share_pct", float(region["hashrate_share_pct"]))
            shares[id] = published(share, 2)
            regions[id] = self.costs(region, difficulty, reward, day, of_region)
        minima, averages, maxima = zip(*regions.values())
        weighted = sum(share * average for share, average in zip(shares.values(), averages))
        return Figures(
            difficulty,
            published(self.hashrate(day, row), self.hashrate_eh),
            published(self.fee(day, row), self.usd),
            shares,
            regions,
            [min(minima), (weighted + 5000) // 10000, max(maxima)],
        )

    def forecast(self, day):
        """Returns the forecast: the average of a day without movement or, with dated series, of this day."""
        return self.figures(day if self.series else None).everywhere[1]


class Rows:
    """The rows of a dated series. Each is valid until the next."""

    def __init__(self):
        self.days, self.cells = [], []

    def append(self, day, cells):
        self.days.append(day)
        self.cells.append(cells)

    def on(self, day):
        at = bisect_right(self.days, day) if day is not None else 0
        return self.cells[at - 1] if at else {}
