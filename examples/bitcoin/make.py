#!/usr/bin/env python3
"""Makes network.csv and regions.csv from the tables in this folder and in this file.

    python3 examples/bitcoin/make.py [--check]

With --check, compares the files with the tables instead of writing them.

retargets.csv has the difficulty of every epoch, a fact of the chain. machines.csv has machines with the figures of
their makers. The tables below say for each figure where it is from; E marks an estimate made for this edition.
"""

import csv
import datetime
import sys
from pathlib import Path

FOLDER = Path(__file__).parent

# Coins per block from a date on: a rule of the chain, and the days of blocks 210,000, 420,000, 630,000 and 840,000.
REWARDS = [("2012-11-28", 25), ("2016-07-09", 12.5), ("2020-05-11", 6.25), ("2024-04-20", 3.125)]

REGIONS = ["cn", "us", "ru", "kz", "ca", "ir", "gulf", "py", "et", "rest"]

# Percent of the hashrate from a date on, rounded to half percents. The Cambridge mining map (CBECI, 2019-09 to
# 2022-01) rests on pools with 35% to 44% of the hashrate; Malaysia, and Germany and Ireland, where it sees traffic of
# other countries, count as the rest of the world here. Later sources are press reports of Luxor's heatmap. Where a source
# has only some countries, the others are E.
SHARES = [
    # date,        cn,   us,   ru,   kz,  ca,  ir, gulf,  py,  et, rest, source
    ("2016-01-01", 70.0, 7.0, 5.0, 1.0, 2.0, 1.0, 0.0, 0.0, 0.0, 14.0, "China: cointrellis.com; others E"),
    ("2018-01-01", 65.0, 8.0, 6.0, 1.0, 3.0, 2.0, 0.0, 0.0, 0.0, 15.0, "E"),
    ("2018-07-01", 60.0, 9.0, 6.0, 1.5, 4.0, 2.5, 0.0, 0.0, 0.0, 17.0, "China: CoinShares, 2018-11; others E"),
    ("2019-01-01", 68.0, 6.0, 6.0, 1.5, 2.5, 2.0, 0.0, 0.0, 0.0, 14.0, "E"),
    ("2019-07-01", 75.5, 4.0, 6.0, 1.5, 1.0, 1.5, 0.0, 0.0, 0.0, 10.5, "CBECI map, 2019-09"),
    ("2020-01-01", 72.5, 3.5, 6.0, 3.5, 1.0, 3.0, 0.0, 0.0, 0.0, 10.5, "CBECI map, 2020-01"),
    ("2020-07-01", 67.0, 5.0, 8.0, 4.5, 1.0, 3.0, 0.0, 0.0, 0.0, 11.5, "CBECI map, 2020-07"),
    ("2021-01-01", 53.5, 10.5, 7.0, 6.0, 1.0, 4.0, 0.0, 0.0, 0.0, 18.0, "CBECI map, 2021-01"),
    ("2021-07-01", 0.0, 35.0, 12.0, 14.0, 11.0, 4.0, 0.0, 0.0, 0.0, 24.0, "CBECI map, 2021-07"),
    ("2022-01-01", 21.0, 38.0, 4.5, 13.0, 6.5, 0.0, 0.0, 0.0, 0.0, 17.0, "CBECI map, 2022-01"),
    ("2022-07-01", 20.0, 38.0, 6.5, 10.0, 6.0, 0.5, 1.5, 1.0, 0.0, 16.5, "E"),
    ("2023-01-01", 19.0, 38.0, 9.0, 6.0, 5.5, 1.0, 3.0, 1.5, 0.0, 17.0, "E"),
    ("2023-07-01", 18.0, 37.5, 11.0, 4.0, 5.0, 1.0, 4.0, 2.0, 0.5, 17.0, "kz, Emirates: Hashrate Index; others E"),
    ("2024-01-01", 17.0, 37.0, 12.5, 3.5, 4.5, 1.0, 5.0, 2.5, 1.0, 16.0, "E"),
    ("2024-07-01", 16.0, 36.5, 14.0, 3.0, 4.0, 1.0, 6.0, 3.0, 2.0, 14.5, "E"),
    ("2025-01-01", 14.0, 36.0, 15.5, 2.5, 3.0, 1.0, 6.5, 3.5, 2.5, 15.5, "Luxor, 2025-05; et: Africa Report; ir E"),
    ("2025-07-01", 14.0, 36.0, 16.5, 2.5, 3.0, 1.0, 6.5, 4.0, 2.0, 14.5, "Luxor, 2025-06; kz, ir, et E"),
    ("2026-01-01", 14.0, 38.0, 15.5, 2.0, 3.0, 1.0, 6.5, 4.0, 2.0, 14.0, "Luxor, 2025-10; kz, ca, ir, gulf E"),
]

# The mean electricity price that miners pay, USD/kWh, from a year on. Miners in the US are assumed to pay 0.65 of the
# average industrial price (EIA), between Riot (0.54, before credits) and hosting rates (0.84 to 0.97).
PRICES = {
    "cn": [(2016, 0.042, "E"), (2018, 0.040, "Fundstrat, 2018"), (2019, 0.035, "E"), (2020, 0.030, "coinfox.info"),
           (2021, 0.040, "E"), (2022, 0.055, "E: mining is banned")],
    "us": [(2016, 0.0439, "EIA"), (2017, 0.0447, "EIA"), (2018, 0.0449, "EIA"), (2019, 0.0442, "EIA"),
           (2020, 0.0433, "EIA"), (2021, 0.0466, "EIA"), (2022, 0.0539, "EIA"), (2023, 0.0522, "EIA"),
           (2024, 0.0527, "EIA"), (2025, 0.0560, "EIA")],
    "ru": [(2016, 0.040, "E"), (2019, 0.040, "CoinDesk: Bratsk"), (2022, 0.045, "E"), (2023, 0.040, "Kommersant, E")],
    "kz": [(2016, 0.040, "E"), (2020, 0.0365, "HASHR8"), (2022, 0.045, "E: with the levy of 2022")],
    "ca": [(2016, 0.039, "E"), (2018, 0.0391, "Hydro-Quebec"), (2022, 0.045, "E")],
    "ir": [(2016, 0.030, "E"), (2019, 0.040, "newdaycrypto.com: eight cold months")],
    # Without a share, the price of the rest of the world, so that none of them sets the minimum.
    "gulf": [(2016, 0.055, "no share"), (2022, 0.045, "E")],
    "py": [(2016, 0.055, "no share"), (2022, 0.040, "cryptonite.ae, 2024-04"), (2025, 0.046, "E: after a rise in 2024")],
    "et": [(2016, 0.055, "no share"), (2023, 0.0314, "Ethiopian Electric Power, 2024-02")],
    "rest": [(2016, 0.055, "E: near the 0.05 that Cambridge assumes")],
}

# E: cheap and expensive power within a region, relative to the mean.
PRICE_SPREAD = (0.80, 1.25)

# E: the J/TH of a region's machines relative to the world's. The mean over all regions stays that of the world.
FLEETS = {"cn": 1.05, "us": 0.95, "ru": 1.08, "kz": 1.08, "ca": 0.97, "ir": 1.20, "gulf": 0.95, "py": 1.00,
          "et": 1.00, "rest": 1.00}

# E: machines are in use from three months to four years and three months after their release.
YEARS_IN_USE = (0.25, 4.25)

# E: the best and the worst fleets are the fifth of the hashrate with the fewest and the most J/TH. The worst is limited,
# because machines that no longer pay are switched off.
FIFTH, WORST_MAX = 0.2, 1.5

# The share of a region that does not mine, percent: the contract wants positive numbers.
NO_SHARE = 0.01


def read(name):
    with open(FOLDER / name) as file:
        return list(csv.DictReader(file))


def network_rows(first="2016-01-01"):
    """Returns a row per retarget and per halving; the first row has the difficulty in force on the first day."""
    epochs = [(max(row["date"], first), row["difficulty"]) for row in read("retargets.csv")]
    days = sorted({date for date, _ in epochs} | {date for date, _ in REWARDS if date > first})
    for day in days:
        difficulty = [value for date, value in epochs if date <= day][-1]
        reward = [coins for date, coins in REWARDS if date <= day][-1]
        yield [day, difficulty, "", "", reward, ""]


def fleet(year):
    """Returns the best, mean and worst J/TH of the machines in use: each counts with its hashrate."""
    machines = []
    for row in read("machines.csv"):
        released = int(row["released"][:4]) + (int(row["released"][5:]) - 0.5) / 12
        if YEARS_IN_USE[0] <= year - released <= YEARS_IN_USE[1]:
            machines.append((float(row["watts"]) / float(row["terahash_per_s"]), float(row["terahash_per_s"])))
    machines.sort()
    mean = mean_of(machines, 1)
    return mean_of(machines, FIFTH), mean, min(mean_of(machines[::-1], FIFTH), WORST_MAX * mean)


def mean_of(machines, part):
    """Returns the mean J/TH of the first machines, up to this part of the hashrate."""
    left = whole = part * sum(hashrate for _, hashrate in machines)
    watts = 0
    for efficiency, hashrate in machines:
        counted = min(hashrate, left)
        watts, left = watts + efficiency * counted, left - counted
    return watts / whole


def region_rows(first=2016, last=2026.25):
    """Returns a row per quarter and region."""
    for quarter in range(int((last - first) * 4) + 1):
        year = first + quarter / 4
        date = str(datetime.date(int(year), 1 + quarter % 4 * 3, 1))
        shares = [max(share, NO_SHARE) for share in [row[1:-1] for row in SHARES if row[0] <= date][-1]]
        shares[-1] += 100 - sum(shares)
        shares = dict(zip(REGIONS, shares, strict=True))
        mean_fleet = sum(shares[region] * FLEETS[region] for region in REGIONS) / 100
        for region in REGIONS:
            efficiencies = [f"{value * FLEETS[region] / mean_fleet:.4g}" for value in fleet(year)]
            price = [usd for since, usd, _ in PRICES[region] if since <= year][-1]
            prices = [f"{price * factor:.4f}" for factor in (PRICE_SPREAD[0], 1, PRICE_SPREAD[1])]
            yield [date, region, f"{shares[region]:.2f}", *efficiencies, *prices]


NETWORK = "date,difficulty,hashrate_eh,fee_usd,block_reward_coins,price_usd"
REGION = "date,region_id,hashrate_share_pct,efficiency_j_per_th_best,efficiency_j_per_th_mean,efficiency_j_per_th_worst,"
REGION += "electricity_usd_per_kwh_low,electricity_usd_per_kwh_mean,electricity_usd_per_kwh_high"


def main():
    for name, header, rows in [("network.csv", NETWORK, network_rows()), ("regions.csv", REGION, region_rows())]:
        text = header + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
        if "--check" not in sys.argv:
            (FOLDER / name).write_text(text)
        # Rows that were collected from a node may follow.
        elif not (FOLDER / name).read_text().startswith(text):
            sys.exit(f"{name} does not match the tables; run make.py")


if __name__ == "__main__":
    main()
