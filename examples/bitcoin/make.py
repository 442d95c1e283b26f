#!/usr/bin/env python3
"""Makes network.csv, regions.csv and fleet.csv from the tables in this folder and in this file.

    python3 examples/bitcoin/make.py [--check]

With --check, compares the files with the tables instead of writing them, and the efficiency with published ones.

retargets.csv and heights.csv are facts of the chain. machines.csv has machines with the figures of their makers. The
tables below say for each figure where it is from; E marks an estimate made for this edition. Between two dates of a
table, values are interpolated.
"""

import csv
import statistics
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
MONTHS = [f"{year}-{month:02}" for year in range(2016, 2027) for month in range(1, 13) if (year, month) <= (2026, 5)]

# Heights of the last halvings and their days: facts of the chain. The first block of each has half the coins.
HALVINGS = [(210_000, "2012-11-28"), (420_000, "2016-07-09"), (630_000, "2020-05-11"), (840_000, "2024-04-20")]
RETARGET_BLOCKS = 2_016

REGIONS = ["cn", "us", "ru", "kz", "ca", "ir", "gulf", "py", "et", "rest"]

# Percent of the hashrate in a month, rounded to half percents. The Cambridge mining map (CBECI, 2019-09 to 2022-01)
# rests on pools with 35% to 44% of the hashrate; half-yearly figures of it are used. Malaysia, and Germany and Ireland,
# where it sees traffic of other countries, count as the rest of the world here. Around China's ban, which was announced on
# 2021-05-21, three months are E. Later sources are press reports of Luxor's heatmap. Where a source has only some
# countries, the others are E.
SHARES = [
    # month,     cn,   us,   ru,   kz,  ca,  ir, gulf,  py,  et, rest, source
    ("2016-01", 70.0, 7.0, 5.0, 1.0, 2.0, 1.0, 0.0, 0.0, 0.0, 14.0, "China: cointrellis.com; others E"),
    ("2018-11", 60.0, 9.0, 6.0, 1.5, 4.0, 2.5, 0.0, 0.0, 0.0, 17.0, "China: CoinShares, 2018-11; others E"),
    ("2020-01", 72.5, 3.5, 6.0, 3.5, 1.0, 3.0, 0.0, 0.0, 0.0, 10.5, "CBECI map"),
    ("2020-07", 67.0, 5.0, 8.0, 4.5, 1.0, 3.0, 0.0, 0.0, 0.0, 11.5, "CBECI map"),
    ("2021-01", 53.5, 10.5, 7.0, 6.0, 1.0, 4.0, 0.0, 0.0, 0.0, 18.0, "CBECI map"),
    ("2021-05", 53.5, 10.5, 7.0, 6.0, 1.0, 4.0, 0.0, 0.0, 0.0, 18.0, "E: as in 2021-01, before the ban"),
    ("2021-07", 0.0, 35.0, 12.0, 14.0, 11.0, 4.0, 0.0, 0.0, 0.0, 24.0, "CBECI map"),
    ("2021-08", 0.0, 35.0, 12.0, 14.0, 11.0, 4.0, 0.0, 0.0, 0.0, 24.0, "E: as in 2021-07"),
    ("2021-09", 21.0, 27.5, 9.5, 11.0, 8.5, 3.0, 0.0, 0.0, 0.0, 19.5, "E: China as in 2022-01, others as in 2021-07"),
    ("2022-01", 21.0, 38.0, 4.5, 13.0, 6.5, 0.0, 0.0, 0.0, 0.0, 17.0, "CBECI map"),
    ("2023-07", 18.0, 37.5, 11.0, 4.0, 5.0, 1.0, 4.0, 2.0, 0.5, 17.0, "kz, Emirates: Hashrate Index; others E"),
    ("2024-12", 15.0, 36.5, 14.5, 3.0, 3.5, 1.0, 6.0, 3.0, 2.5, 15.0, "et: Africa Report; others E"),
    ("2025-05", 13.5, 36.0, 15.5, 2.5, 3.0, 1.0, 6.5, 3.5, 2.5, 16.0, "Luxor; ir, gulf, et E"),
    ("2025-06", 14.0, 36.0, 16.5, 2.5, 3.0, 1.0, 6.5, 4.0, 2.0, 14.5, "Luxor; kz, ir, et E"),
    ("2025-10", 14.0, 38.0, 15.5, 2.0, 3.0, 1.0, 6.5, 4.0, 2.0, 14.0, "Luxor; kz, ca, ir, gulf E"),
]

# Miners in the US are assumed to pay this part of the average industrial price (EIA). Riot reports 0.54, 0.55 and 0.52
# for 2022 to 2024, before credits; the 45 USD/MWh of the Cambridge survey of 2024, of which 75% are in the US, are 0.55.
# Hosting rates are 0.84 to 0.97, but include services that the overhead counts.
US_PART = 0.55

# The mean electricity price that miners pay, USD/kWh. Without a share, a region has the price of the rest of the world,
# so that it doesn't set the minimum.
PRICES = {
    "cn": [("2016-01", 0.042, "E"), ("2018-07", 0.040, "Fundstrat, 2018"),
           ("2019-12", 0.036, "E: the world's 0.04 of CoinShares, 2019-12, without the other regions"),
           ("2021-06", 0.036, "E"), ("2021-09", 0.055, "E: mining is banned")],
    "us": [(f"{year}-07", US_PART * usd, "EIA") for year, usd in [
        (2016, 0.0675), (2017, 0.0687), (2018, 0.0691), (2019, 0.0680), (2020, 0.0666),
        (2021, 0.0717), (2022, 0.0829), (2023, 0.0803), (2024, 0.0811), (2025, 0.0861)]],
    "ru": [("2019-07", 0.040, "CoinDesk: Bratsk"), ("2022-07", 0.045, "E"), ("2023-07", 0.040, "Kommersant, E")],
    "kz": [("2019-07", 0.040, "E"), ("2020-07", 0.0365, "HASHR8"), ("2022-07", 0.045, "E: with the levy of 2022")],
    "ca": [("2018-07", 0.0391, "Hydro-Quebec"), ("2022-07", 0.045, "E")],
    "ir": [("2018-07", 0.030, "E"), ("2019-07", 0.040, "newdaycrypto.com: eight cold months")],
    "gulf": [("2022-01", 0.055, "no share"), ("2022-07", 0.045, "E")],
    "py": [("2022-01", 0.055, "no share"), ("2022-07", 0.040, "cryptonite.ae, 2024-04"),
           ("2024-04", 0.040, "cryptonite.ae, 2024-04"), ("2024-10", 0.046, "E: after a rise in 2024")],
    "et": [("2022-01", 0.055, "no share"), ("2022-07", 0.0314, "Ethiopian Electric Power, 2024-02")],
    "rest": [("2016-01", 0.055, "E: near the 0.05 that Cambridge assumes")],
}

# E: cheap and expensive power within a region, relative to the mean.
PRICE_SPREAD = (0.80, 1.25)

# E: the J/TH of a region's machines relative to the world's. The mean over all regions stays that of the world.
FLEETS = {"cn": 1.05, "us": 0.95, "ru": 1.08, "kz": 1.08, "ca": 0.97, "ir": 1.20, "gulf": 0.95, "py": 1.00,
          "et": 1.00, "rest": 1.00}

# Percent of the hashrate by maker: the Cambridge survey of 2025, taken for all years (E) in which machines.csv has
# machines of other makers than Bitmain.
MAKERS = {
    "Bitmain": [("2018-01", 100), ("2020-01", 82)],
    "MicroBT": [("2018-01", 0), ("2020-01", 15)],
    "Canaan": [("2018-01", 0), ("2020-01", 2)],
    "others": [("2018-01", 0), ("2020-01", 1)],
}

# E: machines of a half-year come into use within two years of their release, and go out of use three to six years after
# it. As many were bought as the network was large three quarters of a year after their release.
YEARS_TO_ALL, YEARS_TO_FIRST_OFF, YEARS_TO_LAST_OFF, YEARS_TO_SALE = 2, 3, 6, 0.75

# E: older machines were no longer in use in 2016, and few of this one were sold, for homes.
FIRST_RELEASE, FOR_HOMES = "2014-12", "Antminer S7-LN"

# E: J/TH relative to the machines' stated ones. Chosen so that the means come near the published ones in efficiency.csv.
# After the last of these, the level stays.
LEVEL = [("2016-01", 0.92), ("2016-07", 0.87), ("2018-04", 1.16), ("2019-07", 0.85), ("2020-04", 0.80), ("2021-04", 1.04),
         ("2021-10", 0.94), ("2023-06", 0.91), ("2024-02", 1.02), ("2025-03", 0.97)]

# E: what new machines cost, USD per TH/s, from a date on. Rough levels of the market without a source, within a factor of
# 1.5. Only the all-in cost depends on them.
CAPITAL = [("2016-01-01", 160), ("2018-01-01", 150), ("2018-07-01", 60), ("2018-11-01", 30), ("2019-04-01", 45),
           ("2020-03-01", 24), ("2021-01-01", 60), ("2022-04-01", 45), ("2022-10-01", 20), ("2024-01-01", 17),
           ("2026-01-01", 14)]

# E: the best and the worst fleets are the fifth of the hashrate with the fewest and the most J/TH. The worst is limited,
# because machines that no longer pay are switched off.
FIFTH, WORST_MAX = 0.2, 1.5

# The share of a region that does not mine, percent: the contract wants positive numbers.
NO_SHARE = 0.01

# Classes of machines with a smaller percentage of the hashrate are left out of the fleet.
CLASS_MIN = 0.05

# How near to the published means the efficiency must be: each, in the median, and from one month to the next.
DEVIATION_MAX, MEDIAN_DEVIATION_MAX, CHANGE_MAX = 0.12, 0.05, 0.05


def read(name):
    with open(FOLDER / name) as file:
        return list(csv.DictReader(file))


RETARGETS = read("retargets.csv")
MACHINES = [row for row in read("machines.csv") if row["released"] >= FIRST_RELEASE and row["model"] != FOR_HOMES]


def year_of(month):
    """Returns the middle of a month ("2016-01") in years."""
    return int(month[:4]) + (int(month[5:7]) - 0.5) / 12


def interpolated(points, year):
    """Returns the value in this year of points that begin with a month and a value."""
    points = [(year_of(point[0]), point[1]) for point in points]
    for (year0, value0), (year1, value1) in zip(points, points[1:]):
        if year0 <= year <= year1:
            return value0 + (value1 - value0) * (year - year0) / (year1 - year0)
    return points[0][1] if year < points[0][0] else points[-1][1]


def network_rows():
    """Returns a row per day, with the values at its end."""
    epochs = {int(row["height"]): row["difficulty"] for row in RETARGETS}
    for row in read("heights.csv")[1:]:
        height, date = int(row["height"]), row["date"]
        # The source's day ends about an hour late: a block of the next day may be counted.
        height = min([height] + [first - 1 for first, day in HALVINGS if date < day])
        reward = 50 / 2 ** (height // HALVINGS[0][0])
        capital = [usd for since, usd in CAPITAL if since <= date][-1]
        yield [date, epochs[height - height % RETARGET_BLOCKS], f"{reward:g}", height, capital]


def maker_of(machine):
    return machine["maker"] if machine["maker"] in MAKERS else "others"


def half_year_of(machine):
    return maker_of(machine), int(2 * year_of(machine["released"]))


def smooth(part):
    """Rises from 0 to 1."""
    part = min(max(part, 0), 1)
    return part * part * (3 - 2 * part)


def bought(machine):
    """Returns how many machines of this model were bought, in any unit."""
    year = year_of(machine["released"]) + YEARS_TO_SALE
    difficulty = [row["difficulty"] for row in RETARGETS if row is RETARGETS[0] or year_of(row["date"]) <= year][-1]
    models = sum(half_year_of(other) == half_year_of(machine) for other in MACHINES)
    return float(difficulty) / models


BOUGHT = [(machine, bought(machine)) for machine in MACHINES]


def fleet(year):
    """Returns the machines in use: J/TH, percent of the hashrate, maker, year of release. The best come first."""
    in_use = []
    for machine, count in BOUGHT:
        age = year - year_of(machine["released"])
        gone = smooth((age - YEARS_TO_FIRST_OFF) / (YEARS_TO_LAST_OFF - YEARS_TO_FIRST_OFF))
        in_use.append((machine, count * smooth(age / YEARS_TO_ALL) * (1 - gone)))
    of_maker = {maker: sum(count for machine, count in in_use if maker_of(machine) == maker) for maker in MAKERS}
    percent = {maker: interpolated(points, year) for maker, points in MAKERS.items() if of_maker[maker]}
    level = interpolated(LEVEL, year)
    machines = []
    for machine, count in in_use:
        if count:
            maker = maker_of(machine)
            efficiency = level * float(machine["watts"]) / float(machine["terahash_per_s"])
            share = 100 * percent[maker] / sum(percent.values()) * count / of_maker[maker]
            machines.append((efficiency, share, maker, machine["released"][:4]))
    return sorted(machines)


def mean_of(machines, percent=100):
    """Returns the mean J/TH of the first machines, up to this percentage of the hashrate."""
    left, watts = percent, 0
    for efficiency, share, *_ in machines:
        counted = min(share, left)
        watts, left = watts + efficiency * counted, left - counted
    return watts / percent


def fleet_rows():
    """Returns a row per month and class: the machines that a maker released in a year."""
    for month in MONTHS:
        classes = {}
        for efficiency, share, maker, released in fleet(year_of(month)):
            classes.setdefault(f"{maker} {released}", []).append((efficiency, share))
        sums = {name: sum(share for _, share in machines) for name, machines in classes.items()}
        large = {name: share for name, share in sums.items() if share >= CLASS_MIN}
        for name, percent in zip(large, rounded_shares(list(large.values())), strict=True):
            yield [month + "-01", f"{mean_of(classes[name], sums[name]):.2f}", percent, name]


def rounded_shares(shares):
    """Returns the shares with two decimals; the largest takes up what rounding leaves, so that they sum to 100."""
    shares = [round(100 * share) for share in shares]
    shares[shares.index(max(shares))] += 10_000 - sum(shares)
    return [f"{share / 100:.2f}" for share in shares]


def shares_of(month):
    """Returns each region's percentage of the hashrate, as text."""
    points = [[(row[0], row[1 + index]) for row in SHARES] for index in range(len(REGIONS))]
    shares = [max(interpolated(column, year_of(month)), NO_SHARE) for column in points]
    return dict(zip(REGIONS, rounded_shares(shares), strict=True))


def region_rows():
    """Returns a row per month and region."""
    for month in MONTHS:
        machines, shares = fleet(year_of(month)), shares_of(month)
        mean = mean_of(machines)
        best, worst = mean_of(machines, 100 * FIFTH), min(mean_of(machines[::-1], 100 * FIFTH), WORST_MAX * mean)
        mean_fleet = sum(float(shares[region]) * FLEETS[region] for region in REGIONS) / 100
        for region in REGIONS:
            efficiencies = [f"{value * FLEETS[region] / mean_fleet:.4g}" for value in (best, mean, worst)]
            price = interpolated(PRICES[region], year_of(month))
            prices = [f"{price * factor:.4f}" for factor in (PRICE_SPREAD[0], 1, PRICE_SPREAD[1])]
            yield [month + "-01", region, shares[region], *efficiencies, *prices]


def check_efficiency():
    """Fails if the means of the fleet are far from those that others published, or change quickly."""
    published = [row for row in read("efficiency.csv") if row["calibrates"]]
    ratios = [mean_of(fleet(year_of(row["date"]))) / float(row["j_per_th"]) for row in published]
    deviations = [abs(ratio - 1) for ratio in ratios]
    means = [mean_of(fleet(year_of(month))) for month in MONTHS]
    changes = [abs(after / before - 1) for before, after in zip(means, means[1:])]
    assert max(deviations) <= DEVIATION_MAX, max(deviations)
    assert statistics.median(deviations) <= MEDIAN_DEVIATION_MAX, statistics.median(deviations)
    assert max(changes) <= CHANGE_MAX, max(changes)


NETWORK = "date,difficulty,block_reward_coins,height,capital_usd_per_th"
REGION = "date,region_id,hashrate_share_pct,efficiency_j_per_th_best,efficiency_j_per_th_mean,efficiency_j_per_th_worst,"
REGION += "electricity_usd_per_kwh_low,electricity_usd_per_kwh_mean,electricity_usd_per_kwh_high"
FLEET = "date,efficiency_j_per_th,share_pct,x_class"
FILES = [("network.csv", NETWORK, network_rows), ("regions.csv", REGION, region_rows), ("fleet.csv", FLEET, fleet_rows)]


def main():
    for name, header, rows in FILES:
        text = header + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows())
        if "--check" not in sys.argv:
            (FOLDER / name).write_text(text)
        # Rows that were collected from a node may follow.
        elif not (FOLDER / name).read_text().startswith(text):
            sys.exit(f"{name} does not match the tables; run make.py")
    check_efficiency()


if __name__ == "__main__":
    main()
