"""A second implementation of the model, written from docs/methodology.md alone, section by section.

Names and the order of operations are those of that page. Days are numbers; 1970-01-01 is 0. The day `None` is the
one of the forecast, on which nothing moves.
"""

import csv
import tomllib
from bisect import bisect_right
from datetime import date
from functools import cache
from math import exp, floor, log, sqrt
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


@cache
def balanced(key, index):
    position = index % 4
    distance = (1 + abs(uniform(key, index))) / 2
    is_first_positive = uniform(key, index - position) >= 0
    return distance if is_first_positive == (position in (0, 3)) else -distance


# Waves. An octave is a tuple of days and part, and `balanced` if its random numbers are.

HASHRATE = [(47, 1.0, balanced)]
FEE = [(181, 0.65, balanced), (37, 0.15), (11, 0.2)]
FEE_PEAKS = [(19, 1.0)]
COMMON_PRICE = [(17, 0.85), (1, 0.15)]
OWN_PRICE = [(19, 0.75), (1, 0.25)]
LOW_OR_HIGH_PRICE = [(41, 1.0)]
MARKET_PRICE = [(1, 0.058), (2, 0.07), (5, 0.11), (11, 0.17), (23, 0.24), (47, 0.352)]
VOLATILITY = [(37, 1.0)]
PRICE_TREND = [(71, 0.3, balanced), (131, 0.7, balanced)]

WEEKDAYS = [3, 5, 5, 5, 2, -9, -11]


def wave(seed, name, octaves, day):
    if day is None:
        return 0.0
    total = 0.0
    for days, part, *kind in octaves:
        random = kind[0] if kind else uniform
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


def wide(swing):
    ratio = (1 + swing) / (1 - swing)
    return ratio * ratio


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
    everywhere: list  # the same over all regions
    price: int | None
    reward: float
    inputs: dict  # by region id: efficiencies, prices and overhead
    row: dict  # of the network series
    parts: list  # of the merit order: region id, efficiency, share in hundredths of a percent, unrounded costs


def published(value, decimals):
    return floor(value * float(10**decimals) + 0.5)


def published_significant(value, decimals):
    """Rounds a value, below 0.1 to six significant digits. Returns its units and its decimals."""
    place = next((place for place in range(1, 15) if value * 10.0**place >= 1.0), 15)
    if place > 1:
        decimals = max(decimals, min(place + 5, 15))
    return published(value, decimals), decimals


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
        rewards = inputs["network"].pop("reward", [])
        self.rewards = [(date.fromisoformat(str(r["from"])).toordinal() - DAY_0, float(r["coins"])) for r in rewards]
        self.network = bitcoin | floats(inputs["network"])
        still = {"weekday_pct": 0.0, "spread_pct": 0.0, "price_pct": 0.0}
        self.movement = still | floats(inputs["movement"])
        self.capital = inputs.get("capital")
        self.uncertainty = inputs.get("uncertainty")
        decimals = {"usd": 2, "hashrate_eh": 2} | inputs.get("decimals", {})
        self.usd, self.hashrate_eh = decimals["usd"], decimals["hashrate_eh"]
        self.series = inputs.get("series", {})
        self.files = [path]
        self.network_rows, self.region_rows = Rows(), {}
        for name in ["network", "regions"]:
            if name in self.series:
                self.files.append(path.parent / self.series[name])
                self.read_series(self.files[-1])
        self.fleet = {}
        if "fleet" in self.series:
            self.files.append(path.parent / self.series["fleet"])
            self.read_fleet(self.files[-1])
        if "published" in self.series:
            self.files.append(path.parent / self.series["published"])
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

    def read_fleet(self, path):
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                day = date.fromisoformat(row["date"]).toordinal() - DAY_0
                machine = float(row["efficiency_j_per_th"]), float(row["share_pct"])
                self.fleet.setdefault(day, []).append(machine)

    def machines(self, day):
        dates = [first for first in self.fleet if day is not None and first <= day]
        return self.fleet[max(dates)] if dates else []

    def parts(self, day, hashes, shares, regions, inputs):
        """The parts of the cost curve, with costs in units of the last decimal."""
        machines = self.machines(day)
        if not machines:
            return [
                (id, inputs[id][0][1], float(shares[id]), [float(cost) for cost in regions[id]])
                for id in regions
            ]
        total, weighted = 0.0, 0.0
        for efficiency, share in machines:
            total += share
            weighted += share * efficiency
        mean = weighted / total
        parts = []
        for id, (efficiencies, prices, overhead) in inputs.items():
            for machine, share in machines:
                efficiency = machine * (efficiencies[1] / mean)
                costs = [cost(hashes, efficiency, price, overhead) * 10.0**self.usd for price in prices]
                parts.append((id, efficiency, shares[id] / 100 * (share / total) * 100, costs))
        return parts

    def covers(self, day):
        valid_days = self.series.get("valid_days", 45)
        of_regions = self.series.get("regions_valid_days", 400)
        series = [(self.network_rows, valid_days)]
        series += [(rows, of_regions) for rows in self.region_rows.values()]
        return all(rows.age(day) <= valid for rows, valid in series if rows.days)

    def moving(self, name):
        """Returns a movement in percent as a fraction."""
        return self.movement[name] / 100

    # The network

    def price_trend(self, day):
        return wave(self.seed, "price/trend", PRICE_TREND, day)

    def hashrate_swing(self, day):
        if day is None:
            return 0.0
        return 0.3 * wave(self.seed, "hashrate", HASHRATE, day) + 0.7 * self.price_trend(day - 60)

    def scatter_factor(self, day):
        return 1 + self.moving("hashrate_pct") * scatter(self.seed, day)

    def hashrate_factor(self, day):
        return (1 + self.moving("difficulty_pct") * self.hashrate_swing(day)) * self.scatter_factor(day)

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
        peak = (1 + wave(self.seed, "fee/peaks", FEE_PEAKS, day)) / 2
        for _ in range(5):
            peak = peak * peak
        of_peak = 1 + amount * (90 * peak - 0.2)
        of_weekday = 1 + amount * 0.22 * weekday(day)
        return self.network["fee_usd"] * (wide(amount * wave(self.seed, "fee", FEE, day)) * of_peak * of_weekday)

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

    def reward(self, day, row):
        level = self.network["block_reward_coins"]
        changed = [coins for first, coins in self.rewards if first <= day]
        return row.get("block_reward_coins", changed[-1] if changed else level)

    def price(self, day, row):
        if "price_usd" in row:
            return published(row["price_usd"], self.usd)
        if "price_usd" not in self.network:
            return None
        root = (1 + wave(self.seed, "price/volatility", VOLATILITY, day)) / 2
        volatility = 0.1 + 0.9 * (root * root)
        within_months = 0.7 * (volatility * wave(self.seed, "price", MARKET_PRICE, day))
        swing = within_months + 0.3 * self.price_trend(day)
        return published(self.network["price_usd"] * wide(self.moving("price_pct") * swing), self.usd)

    def region_inputs(self, region, day, row):
        levels = floats(region["efficiency_j_per_th"])
        efficiencies = [row.get(f"efficiency_j_per_th_{name}", levels[name]) for name in EFFICIENCIES]
        overhead = row.get("overhead", float(region.get("overhead", self.network["overhead"])))
        return efficiencies, self.prices(region, day, row), overhead

    def hashes(self, difficulty, reward):
        return float(difficulty) * self.network["hashes_per_difficulty"] / reward

    def figures(self, day, reward_day=None):
        """The figures of a day, None if it is not covered; or of a still day with the reward of another."""
        if day is not None and not self.covers(day):
            return None
        row = self.network_rows.on(day)
        difficulty = self.difficulty(day, row)
        reward = self.reward(day if day is not None else reward_day, row)
        hashes = self.hashes(difficulty, reward)
        shares, regions, inputs = {}, {}, {}
        for region in self.regions:
            id = region["id"]
            of_region = self.region_rows.get(id, Rows()).on(day)
            share = of_region.get("hashrate_share_pct", float(region["hashrate_share_pct"]))
            shares[id] = published(share, 2)
            inputs[id] = efficiencies, prices, overhead = self.region_inputs(region, day, of_region)
            regions[id] = [
                published(cost(hashes, efficiency, price, overhead), self.usd)
                for efficiency, price in zip(efficiencies, prices)
            ]
        minima, averages, maxima = zip(*regions.values())
        weighted = sum(share * average for share, average in zip(shares.values(), averages))
        return Figures(
            difficulty,
            published(self.hashrate(day, row), self.hashrate_eh),
            published(self.fee(day, row), self.usd),
            shares,
            regions,
            [min(minima), (weighted + 5000) // 10000, max(maxima)],
            self.price(day, row),
            reward,
            inputs,
            row,
            self.parts(day, hashes, shares, regions, inputs),
        )

    def forecast(self, day):
        """The predicted global average: that of a still day, or with dated series that of the day."""
        figures = self.figures(day) if self.series else self.figures(None, day)
        return figures.everywhere[1]

    # Price, hashprice, break-even; levels and uncertainty; power and energy; full cost

    def means(self, figures):
        """Efficiency weighted by hashrate, and overhead weighted by energy cost."""
        efficiencies = energy_costs = costs = 0.0
        overheads = [overhead for _, _, overhead in figures.inputs.values()]
        for id, (efficiency, prices, overhead) in figures.inputs.items():
            weighted = float(figures.shares[id]) * efficiency[1]
            efficiencies += weighted
            energy_costs += weighted * prices[1]
            costs += weighted * prices[1] * overhead
        overhead = overheads[0] if len(set(overheads)) == 1 else costs / energy_costs
        return efficiencies / 10000, overhead

    def economics(self, figures, price):
        """Both ratios and hashprice, as units and decimals; break-evens in USD/kWh and J/TH, and share below the price."""
        scale = float(10**self.usd)
        average, usd = figures.everywhere[1] / scale, price / scale
        efficiency, overhead = self.means(figures)
        energy = self.hashes(figures.difficulty, figures.reward) * efficiency / 1e12 / 3.6e6
        per_block = float(figures.difficulty) * self.network["hashes_per_difficulty"]
        given = {
            name: figures.row.get(name, self.network.get(name, 0.0))
            for name in ("fees_per_block_coins", "other_revenue_usd_per_block")
        }
        coins = figures.reward + given["fees_per_block_coins"]
        kept = 1 - self.network.get("pool_fee_pct", 0.0) / 100
        block_revenue = (usd * coins + given["other_revenue_usd_per_block"]) * kept
        revenue = block_revenue / figures.reward
        return (
            published_significant(usd / average, 4),
            published_significant(revenue / average, 4),
            published_significant(block_revenue * 86400.0 * 1e15 / per_block, self.usd),
            average / overhead / energy * revenue / average,
            efficiency * revenue / average,
            floor(share_up_to(halves(figures), float(published(revenue, self.usd))) + 0.5),
        )

    def levels(self, figures):
        """Energy cost, all-in cost and both ends of the interval; None for those that the inputs don't allow."""
        scale = float(10**self.usd)
        energy = 0.0
        for id, costs in figures.regions.items():
            energy += float(figures.shares[id]) * (costs[1] / scale / figures.inputs[id][2])
        average = figures.everywhere[1]
        all_in = average + self.capital_cost(figures) if self.capital else None
        interval = [None, None]
        if self.uncertainty is not None:
            names = ("electricity_pct", "efficiency_pct", "overhead_pct")
            a, b, c = (float(self.uncertainty.get(name, 0)) for name in names)
            sigma = sqrt(a * a + b * b + c * c) / 100
            ends = (-1.2815516, 1.2815516)
            interval = [published(average / scale * exp(end * sigma), self.usd) for end in ends]
        return [published(energy / 10000, self.usd), all_in, *interval]

    def power(self, figures):
        """GW and TWh per year, as units and decimals."""
        network = self.network
        implied = figures.difficulty * network["hashes_per_difficulty"] / network["seconds_per_block"] / 1e18
        power = implied * self.means(figures)[0] / 1000
        return published_significant(power, 2), published_significant(power * 8766 / 1000, 2)

    def capital_cost(self, figures):
        hashes = self.hashes(figures.difficulty, figures.reward)
        years = float(self.capital["years"])
        usd_per_th = figures.row.get("capital_usd_per_th", float(self.capital["usd_per_th"]))
        return published(hashes / (1e12 * years * 31557600.0) * usd_per_th, self.usd)

    # Why a cost changed

    def change(self, scope, since, day):
        """Parts of the change in units of the last decimal, with values and effects in percent."""
        before, after = self.figures(since), self.figures(day)
        ids = [region["id"] for region in self.regions] if scope == "global" else [scope]
        states = [[self.state(figures, id, scope) for id in ids] for figures in (before, after)]
        parts = [0.0] * 6
        for (share0, cost0, values0), (share1, cost1, values1) in zip(*states):
            if share0 == 0 or share1 == 0:
                parts[5] += cost1 - cost0
                continue
            mean = logarithmic_mean(cost1, cost0)
            for index, (from_, to) in enumerate(zip(values0, values1)):
                parts[index] += mean * log(from_ / to if index == 1 else to / from_)
            parts[5] += mean * log(share1 / share0)
        names = FACTORS if scope == "global" else FACTORS[:5]
        averages = [costs_of(figures, scope)[1] for figures in (before, after)]
        total = averages[1] - averages[0]
        rounded = apportion(total, [part * float(10**self.usd) for part in parts[: len(names)]])
        mean = logarithmic_mean(*(units / float(10**self.usd) for units in reversed(averages)))
        changes = []
        for index, name in enumerate(names):
            common = [{state[2][index] for state in of_day} if index < 5 else set() for of_day in states]
            from_, to = (*common[0], *common[1]) if all(len(c) == 1 for c in common) else (None, None)
            if from_ is None:
                ratio = exp(parts[index] / mean)
            else:
                ratio = from_ / to if index == 1 else to / from_
            changes.append((name, from_, to, (ratio - 1) * 10_000, rounded[index]))
        return changes, total

    def state(self, figures, id, scope):
        """A region's share, its share of the average before rounding, and its factors."""
        efficiencies, prices, overhead = figures.inputs[id]
        share = figures.shares[id] / 10000 if scope == "global" else 1.0
        hashes = self.hashes(figures.difficulty, figures.reward)
        values = [float(figures.difficulty), figures.reward, efficiencies[1], prices[1], overhead]
        return share, share * cost(hashes, efficiencies[1], prices[1], overhead), values


def costs_of(figures, scope):
    return figures.everywhere if scope == "global" else figures.regions[scope]


def cost(hashes, efficiency, price, overhead):
    return hashes * efficiency / 1e12 / 3.6e6 * price * overhead


FACTORS = ["difficulty", "block_reward", "efficiency", "electricity", "overhead", "shares"]


def logarithmic_mean(a, b):
    return a if a / b == 1 else (a - b) / log(a / b)


def apportion(total, parts):
    rounded = [floor(part) for part in parts]
    order = [index for index, part in enumerate(parts) if part != 0] or list(range(len(parts)))
    order.sort(key=lambda index: -(parts[index] - floor(parts[index])))
    each, more = divmod(total - sum(rounded), len(order))
    for rank, index in enumerate(order):
        rounded[index] += each + (rank < more)
    return rounded


# The cost curve


def halves(figures):
    """Lower end, upper end and share of each half of each part."""
    for _, _, share, (low, average, high) in figures.parts:
        if share:
            median = min(max(2 * average - (low + high) / 2, low), high)
            share = share / 2
            yield low, median, share
            yield median, high, share


def share_up_to(halves, c):
    total = 0.0
    for lower, upper, share in halves:
        if c >= upper:
            total += share
        elif c > lower:
            total += share * ((c - lower) / (upper - lower))
    return total


def percentile(figures, p):
    of_curve = list(halves(figures))
    ends = sorted(end for lower, upper, _ in of_curve for end in (lower, upper))
    s = p * 100.0
    at = next(index for index, end in enumerate(ends) if share_up_to(of_curve, end) >= s)
    end = ends[at]
    if at == 0:
        return floor(end + 0.5)
    start = ends[at - 1]
    jump = 0.0
    for lower, upper, share in of_curve:
        jump += share if lower == upper == end else 0.0
    before, at_start = share_up_to(of_curve, end) - jump, share_up_to(of_curve, start)
    if s > before:
        return floor(end + 0.5)
    return floor(min(start + (end - start) * (s - at_start) / (before - at_start), end) + 0.5)


class Rows:
    """The rows of a dated series. Each is valid until the next."""

    def __init__(self):
        self.days, self.cells = [], []

    def append(self, day, cells):
        self.days.append(day)
        self.cells.append(cells)

    def age(self, day):
        """How many days the newest row on or before a day is old."""
        at = bisect_right(self.days, day)
        return day - self.days[at - 1] if at else float("inf")

    def on(self, day):
        at = bisect_right(self.days, day) if day is not None else 0
        return self.cells[at - 1] if at else {}
