"""Inputs files for checks/reproduce.py: other networks, and dated series."""

import json
import tomllib


def toml(inputs):
    """Returns an inputs file from its tables of numbers and its list of regions."""
    lines = [f"seed = {inputs['seed']}"]
    for name, table in inputs.items():
        if isinstance(table, dict):
            lines += [f"[{name}]", *(f"{key} = {toml_value(value)}" for key, value in table.items())]
    for region in inputs["region"]:
        lines.append("[[region]]")
        for key, value in region.items():
            inline = isinstance(value, dict) and ", ".join(f"{k} = {v!r}" for k, v in value.items())
            lines.append(f"{key} = {{ {inline} }}" if inline else f"{key} = {json.dumps(value)}")
    return "\n".join(lines) + "\n"


def toml_value(value):
    """Returns a string, a number, or a list of tables."""
    if not isinstance(value, list):
        return json.dumps(value)
    tables = (", ".join(f"{key} = {json.dumps(cell)}" for key, cell in table.items()) for table in value)
    return f"[{', '.join(f'{{ {table} }}' for table in tables)}]"


def variants(built_in):
    """Yields names and inputs: the built-in ones with different values in some tables."""
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
        # Fifteen digits, so that a different order of operations shows in the last one.
        "many-decimals": {
            "decimals": {"usd": 10, "hashrate_eh": 12},
            "network": {"hashrate_eh": 450, "fee_usd": 90, "price_usd": 20000},
        },
    }
    changes["capital"] = {"capital": {"usd_per_th": 14.0, "years": 4.0}}
    halvings = [{"from": "2000-01-01", "coins": 1.5625}, {"from": "2024-02-29", "coins": 0.78125}]
    changes["halvings"] = {"network": {"reward": halvings}}
    built_in = {"capital": {}} | built_in
    for name, change in changes.items():
        tables = {k: built_in[k] | v if isinstance(v, dict) else v for k, v in change.items()}
        inputs = built_in | tables
        yield name, {k: v for k, v in inputs.items() if v != {}}
    unpriced = {k: v for k, v in built_in["network"].items() if k != "price_usd"}
    yield "unpriced", {k: v for k, v in (built_in | {"network": unpriced}).items() if v != {}}
    # Without optional fields.
    optional = {"seconds_per_block", "hashes_per_difficulty", "retarget_days", "weekday_pct", "spread_pct"}
    short = {k: v for k, v in built_in.items() if k not in ("decimals", "capital", "coin")}
    for table in ["network", "movement"]:
        short[table] = {k: v for k, v in built_in[table].items() if k not in optional}
    yield "short", short


def any_network(dice):
    """Returns inputs with random values and up to six regions."""

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
    for region in dice.sample(regions, dice.randint(0, len(regions))):
        region["overhead"] = among(1, 3)
    network = {
        "hashrate_eh": among(1, 1000),
        "block_reward_coins": among(0.1, 50),
        "fee_usd": among(1, 10),
        "overhead": among(1, 3),
        "seconds_per_block": among(10, 1000),
        "hashes_per_difficulty": dice.choice([2**32, 2**40 + 1, 1e12]),
        "retarget_days": dice.randint(0, 64),
        "price_usd": among(1, 1e5),
        "reward": [{"from": "3000-01-01", "coins": among(0.1, 50)}],
    }
    limits = dict(difficulty_pct=50, hashrate_pct=30, fee_pct=90, electricity_pct=50, weekday_pct=20)
    return {
        "seed": dice.getrandbits(63),
        "network": network,
        "capital": {"usd_per_th": among(0.1, 20), "years": among(1, 10)},
        "decimals": {"usd": dice.randint(3, 6), "hashrate_eh": dice.randint(0, 8)},
        "movement": {name: among(0, limit) for name, limit in (limits | {"spread_pct": 90, "price_pct": 90}).items()},
        "region": regions,
    }


def other_networks(built_in, folder, dice):
    """Writes inputs files: variants of the built-in one, and random networks."""
    networks = dict(variants(tomllib.loads(built_in.read_text())))
    networks |= {f"any-{number}": any_network(dice) for number in range(8)}
    for name, inputs in networks.items():
        path = folder / f"{name}.toml"
        path.write_text(toml(inputs))
        yield path


# Dated series for the built-in regions: missing columns, empty cells, changing shares, missing regions, and rows for
# one region only. Some prices are so close to the mean that it moves past them.
NETWORKS = {
    "full": """date,difficulty,hashrate_eh,fee_usd,block_reward_coins,x_note
2024-02-01,8e13,600.123,1.005,6.25,"a, b"
2024-02-29,81000000000000.5,,,,
2024-03-01,82123456789012,,2.5,3.125,
2024-04-20,9.1e13,655.55,,3.125,
""",
    "difficulty": "date,difficulty\n2024-02-10,8.5e13\n2024-03-10,8.7e13\n",
    "prices": """date,difficulty,price_usd,block_reward_coins,fees_per_block_coins,other_revenue_usd_per_block
2024-02-01,8e13,43000.5,6.25,0.5,
2024-02-15,8.1e13,,,,120000
2024-03-10,8.2e13,71000,3.125,0,0
""",
}
FLEET = """date,efficiency_j_per_th,share_pct,x_model
2024-02-10,15,40,new
2024-02-10,20.5,33.33,
2024-02-10,31,26.66,old
2024-03-01,13.5,50,
2024-03-01,13.5,50,
"""
# The tables of networks with a fleet.
WITH_FLEET = {
    "network": {"fees_per_block_coins": 0.02, "pool_fee_pct": 2, "other_revenue_usd_per_block": 12.5},
    "uncertainty": {"electricity_pct": 15, "overhead_pct": 8.5},
    "capital": {"usd_per_th": 14.0, "years": 4.0},
}
REGIONS = {
    "full": """date,region_id,hashrate_share_pct,efficiency_j_per_th_best,efficiency_j_per_th_mean,\
efficiency_j_per_th_worst,electricity_usd_per_kwh_low,electricity_usd_per_kwh_mean,\
electricity_usd_per_kwh_high
2024-01-15,us,60,18,20,22,0.047,0.054,0.061
2024-02-14,us,50.25,,,,,,
2024-02-14,eu,20.75,15,16,17,0.05,0.06,0.07
2024-02-14,cn,29,,19.5,,,0.0415,
2024-03-01,eu,20.75,,,18,0.0615,,
2024-03-05,us,50.25,,19,,,0.0535,
2024-03-05,cn,29,,,,,,0.041
2024-03-20,us,50.25,,,,0.048,,0.049
2024-03-20,eu,20.75,,,,,0.0555,
""",
    "mean price": """date,region_id,electricity_usd_per_kwh_mean
2024-02-20,eu,0.056
2024-03-20,eu,0.069
""",
    "overhead": """date,region_id,hashrate_share_pct,overhead
2024-02-01,us,70,1.2
2024-02-01,eu,0,1.3
2024-02-01,cn,30,
2024-02-20,us,60,
2024-02-20,eu,10,1.35
""",
    "shares": """date,region_id,hashrate_share_pct
2024-02-20,us,40
2024-02-20,eu,33.33
2024-02-20,cn,26.67
2024-03-01,eu,43.33
2024-03-01,us,30
""",
}


# The series that each inputs file names, and its `valid_days`.
PAIRS = [
    ("full", "full", None),
    ("full", None, 0),
    ("difficulty", "mean price", 10),
    ("difficulty", "shares", 45),
    ("difficulty", None, 3),
    (None, "shares", 0),
    (None, "full", 30),
    ("prices", "overhead", 20),
    ("full", "full", 12),
]


def dated_series(built_in, folder):
    """Writes inputs files with dated series."""
    inputs = tomllib.loads(built_in.read_text())
    for index, (network, regions, valid_days) in enumerate(PAIRS):
        series = {} if valid_days is None else {"valid_days": valid_days}
        if regions and valid_days is not None and index % 2:
            series["regions_valid_days"] = 30
        for kind, text in [("network", NETWORKS.get(network)), ("regions", REGIONS.get(regions))]:
            if text:
                series[kind] = f"{kind}-{index}.csv"
                (folder / series[kind]).write_text(text)
        tables = {}
        if index % 2:
            tables = {name: inputs.get(name, {}) | table for name, table in WITH_FLEET.items()}
            series["fleet"] = "fleet.csv"
            (folder / "fleet.csv").write_text(FLEET)
        path = folder / f"series-{index}.toml"
        path.write_text(toml(inputs | tables | {"series": series}))
        yield path
