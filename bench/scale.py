#!/usr/bin/env python3
"""Measures the effect of 256 regions and of midnight on requests.

    python3 bench/scale.py

Needs wrk. The first table compares the CPU time per request with 3 and with 256 regions. The
second shows latency with 256 regions: in a quiet period, while the next day is rendered, and
across midnight.
"""

import os
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

from compare import ROOT, build, cpu_seconds, load, memory_mb, wait_for

FEW, MANY = 3, 256  # The built-in network, and the most regions that inputs may have.
PORT = {FEW: 18110, MANY: 18111}
MIDNIGHT = 1_794_787_200  # 2026-11-16T00:00:00Z
WORKERS = str(os.cpu_count())


def inputs(folder, regions=MANY):
    """Writes an inputs file with this many regions, all of the same size but the first, which has the rest."""
    text = (ROOT / "crates/ghi-engine/inputs.toml").read_text().split("[[region]]")[0]
    share = 10_000 // regions
    for region in range(regions):
        hundredths = share if region else 10_000 - share * (regions - 1)
        text += f"""[[region]]
            id = "r{region}"
            name = "Region {region}"
            hashrate_share_pct = {hundredths / 100}
            efficiency_j_per_th = {{ best = 18, mean = 20, worst = 22 }}
            electricity_usd_per_kwh = {{ low = 0.05, mean = 0.055, high = 0.06 }}
        """
    path = Path(folder) / "inputs.toml"
    path.write_text(text)
    return path


def start(*command):
    return subprocess.Popen([str(word) for word in command], stderr=subprocess.DEVNULL)


def cost_of_scale(ghi, file):
    """Measures CPU microseconds per request, in interleaved rounds."""
    common = [ghi, "--workers", WORKERS, "--listen"]
    few = start(*common, f"127.0.0.1:{PORT[FEW]}")
    many = start(*common, f"127.0.0.1:{PORT[MANY]}", "--inputs", file)
    servers = {FEW: (few, "us"), MANY: (many, "r77")}
    for port in PORT.values():
        wait_for(port)
    print("| document | 3 regions, us | 256 regions, us | ratio |\n|---|---:|---:|---:|")
    for name, path in [("region detail", "/v1/ghi/regions/{}"), ("history", "/v1/ghi/history?region_id={}")]:
        samples = {FEW: [], MANY: []}
        for _ in range(15):
            for count, (process, region) in servers.items():
                before = cpu_seconds(process.pid)
                requests, *_ = load(PORT[count], path.format(region), 64, 1)
                samples[count].append((cpu_seconds(process.pid) - before) * 1e6 / requests)
        ratio = statistics.median(b / a for a, b in zip(samples[FEW], samples[MANY]))
        medians = [statistics.median(each) for each in samples.values()]
        print(f"| {name} | {medians[0]:.2f} | {medians[1]:.2f} | {ratio:.2f} |", flush=True)
    print(f"\nMemory with 256 regions: {memory_mb(many.pid):.1f} MB\n")
    for process in (few, many):
        process.terminate()
    for process in (few, many):
        process.wait()


def latency_across(example, file, folder, start_at):
    """Returns p50, p99, p99.9 and the maximum in ms, over five seconds."""
    script = Path(folder) / "quantiles.lua"
    script.write_text(
        "done = function(_, latency, _) for _, q in ipairs({50, 99, 99.9}) do "
        "io.write('Q ', latency:percentile(q) / 1000, '\\n') end "
        "io.write('Q ', latency.max / 1000, '\\n') end"
    )
    server = start(example, f"127.0.0.1:{PORT[MANY]}", WORKERS, file, start_at)
    wait_for(PORT[MANY])
    url = f"http://127.0.0.1:{PORT[MANY]}/v1/ghi/regions/r77"
    run = subprocess.run(
        ["wrk", "-t1", "-c64", "-d5s", "-s", script, url], check=True, capture_output=True, text=True
    )
    server.kill()
    server.wait()
    assert "Socket errors" not in run.stdout and "Non-2xx" not in run.stdout, run.stdout
    return [float(value) for value in re.findall(r"Q ([\d.]+)", run.stdout)]


def main():
    ghi, bare = build()
    example = bare.parent / "shifted_clock"
    with tempfile.TemporaryDirectory() as folder:
        file = inputs(folder)
        cost_of_scale(ghi, file)
        print("| window | p50 ms | p99 ms | p99.9 ms | longest ms |\n|---|---:|---:|---:|---:|")
        windows = {
            "quiet": MIDNIGHT - 3600,
            "the next day is rendered": MIDNIGHT - 300 - 3,
            "midnight": MIDNIGHT - 3,
        }
        for name, start_at in windows.items():
            rows = [latency_across(example, file, folder, start_at) for _ in range(5)]
            medians = [statistics.median(column) for column in zip(*rows)]
            print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in medians) + " |", flush=True)


if __name__ == "__main__":
    main()
