#!/usr/bin/env python3
"""Tests `ghi collect` with a real node: Debian's litecoind, whose RPC interface is that of Bitcoin Core.

    python3 checks/collect.py [--kills 50] [--ghi BINARY]

Makes half a year of blocks on a private chain (regtest), with times out of order, a day without blocks, transactions
with fees, and reorganizations. While the chain grows, its days are collected, and every cell is compared with what the
node says about each block. A server takes a new row while it runs. The collection is then killed at random times: the
file always has complete rows, and in the end it is the same. Needs litecoind; takes 25 seconds with 10 kills, the default.
"""

import base64
import contextlib
import csv
import datetime
import hashlib
import hmac
import http.client
import io
import json
import os
import random
import signal
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import server

PORT = 18390
START = datetime.date(2024, 1, 1)
EPOCH = datetime.date(1970, 1, 1)
DAYS = 180
BLOCKS_PER_DAY = 8
EMPTY_DAY = 75
DAY = 86_400
EARLY, LATE = 25_000, 7_000  # Seconds between the time of a block and the moment at which it is mined.
HASHES_PER_DIFFICULTY = 2**32
SCALE = 1e22  # From the difficulty of regtest, 4.66e-10, to one that is published.
USER, PASSWORD = "collector", "secret"
HEADER = "date,difficulty,hashrate_eh,fee_usd,block_reward_coins,price_usd,height"
FOREVER = "-vbparams=mweb:9999999999:9999999999"  # Without MWEB, whose activation needs a special transaction.


class Node:
    """A litecoind on a chain of its own, until the end of the `with` block."""

    def __init__(self, folder):
        self.folder, self.port = folder, PORT
        salt = "5a17"
        digest = hmac.new(salt.encode(), PASSWORD.encode(), hashlib.sha256).hexdigest()
        flags = ["-regtest", "-server", f"-datadir={folder}", f"-rpcport={self.port}", "-listen=0"]
        flags += [f"-rpcauth={USER}:{salt}${digest}", FOREVER]
        self.process = subprocess.Popen(["litecoind", *flags], stdout=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{self.port}"
        credentials = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        self.headers = {"Authorization": f"Basic {credentials}"}
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while True:
            with contextlib.suppress(OSError, http.client.HTTPException, AssertionError):
                self.call("getblockcount")
                return
            assert self.process.poll() is None, "litecoind has stopped"
            self.connection.close()
            time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def call(self, method, *params):
        self.connection.request("POST", "/", json.dumps({"id": 0, "method": method, "params": params}), self.headers)
        answer = json.loads(self.connection.getresponse().read(), parse_float=str)
        assert answer["error"] is None, f"{method}: {answer['error']}"
        return answer["result"]


class Chain:
    """The blocks of a node. They are read one by one with all their transactions, and not as statistics."""

    def __init__(self, node, seed):
        self.node, self.random = node, random.Random(seed)
        node.call("createwallet", "wallet")
        self.address = node.call("getnewaddress")
        self.known, self.fees = {}, {}

    def mine(self, moment):
        """Mines a block whose time is up to two hours after a moment, or up to seven hours before it."""
        self.node.call("setmocktime", moment + self.random.randint(-EARLY, LATE))
        height = self.node.call("getblockcount")
        if height > 120 and self.random.random() < 0.3:
            for spent in range(self.random.randint(1, 3)):
                self.spend(height - 100 - spent)
        self.node.call("generatetoaddress", 1, self.address)

    def spend(self, height):
        """Sends the reward of a block, with a random fee. A wallet takes 0.2 s for that."""
        coinbase = self.node.call("getblock", self.node.call("getblockhash", height))["tx"][0]
        if output := self.node.call("gettxout", coinbase, 0):
            fee = self.random.randint(1_000, 100_000)
            left = (units(output["value"]) - fee) / 1e8
            spent = [{"txid": coinbase, "vout": 0}]
            raw = self.node.call("createrawtransaction", spent, {self.address: f"{left:.8f}"})
            signed = self.node.call("signrawtransactionwithwallet", raw)["hex"]
            self.fees[self.node.call("sendrawtransaction", signed, 0)] = fee

    def blocks(self):
        """Returns the blocks from height 1: time, difficulty, subsidy and fees in units, transactions."""
        hashes = [self.node.call("getblockhash", height) for height in range(1, self.node.call("getblockcount") + 1)]
        return [self.known.get(hash) or self.known.setdefault(hash, self.block(hash)) for hash in hashes]

    def block(self, hash):
        block = self.node.call("getblock", hash, 2)
        coinbase, *others = block["tx"]
        fees = sum(self.fees[tx["txid"]] for tx in others)
        paid = sum(units(output["value"]) for output in coinbase["vout"])
        return block["time"], float(block["difficulty"]), paid - fees, fees, len(others)


def units(coins):
    return round(float(coins) * 1e8)


def complete_rows(blocks, prices):
    """Returns the rows of all days that can no longer change: cells as numbers or empty strings, by date."""
    times = [block[0] for block in blocks]
    # Six blocks lie on top of the last one that counts.
    medians = [statistics.median_low(sorted(times[max(0, at - 10) : at + 1])) for at in range(10, len(times) - 6)]
    end = max(medians) // DAY if medians else 0
    days = {}
    for height, block in enumerate(blocks, 1):
        if (START - EPOCH).days <= block[0] // DAY < end:
            days.setdefault(block[0] // DAY, []).append((height, *block[1:]))
    rows = {}
    for day, blocks in sorted(days.items()):
        date = str(EPOCH + datetime.timedelta(days=day))
        heights, difficulties, subsidies, fees, transactions = zip(*blocks)
        price, count, sent = prices.get(date), len(blocks), sum(transactions)
        rows[date] = [
            sum(difficulties) / count,
            sum(difficulties) * HASHES_PER_DIFFICULTY / DAY / 1e18,
            sum(fees) / 1e8 / sent * price if price and sent else "",
            sum(subsidies) / count / 1e8,
            price or "",
            max(heights),
        ]
    return rows


def compare(text, expected):
    """Compares every cell of a file."""
    header, *rows = csv.reader(io.StringIO(text))
    assert ",".join(header) == HEADER, header
    assert [row[0] for row in rows] == list(expected), (rows[-1][0], list(expected)[-1])
    for date, *cells in rows:
        for cell, value in zip(cells, expected[date], strict=True):
            is_same = cell == "" if value == "" else abs(float(cell) / value - 1) < 1e-11
            assert is_same, f"{date}: {cell} is not {value}"
    return sum(len(row) for row in rows)


class Collector:
    def __init__(self, ghi, node, folder, prices):
        self.file = folder / "network.csv"
        self.command = [ghi, "collect", "--rpc", node.url, "--out", self.file, "--prices", prices]
        self.command += ["--from", str(START), "--until", str(START + datetime.timedelta(days=DAYS + 9))]
        self.by_cookie = ["--cookie", Path(node.folder, "regtest/.cookie")]

    def run(self, *flags, password=PASSWORD, code=0):
        """Runs `ghi collect`. Returns its messages."""
        environment = {**os.environ, "GHI_RPC_PASSWORD": password}
        done = subprocess.run([*self.command, *flags], env=environment, capture_output=True, text=True)
        assert done.returncode == code, f"exit code {done.returncode}: {done.stderr}"
        return done.stderr

    def text(self):
        return self.file.read_text() if self.file.exists() else ""


def grow(chain, collector, prices):
    """Makes the chain, and collects it from time to time. Returns the number of cells that were compared."""
    start, compared, said = (START - EPOCH).days * DAY, 0, ""
    for day in range(DAYS + 2):
        for block in range(0 if day == EMPTY_DAY else BLOCKS_PER_DAY):
            within = block * DAY // BLOCKS_PER_DAY
            # The blocks before and after the empty day stay away from it.
            within = min(within, DAY - LATE) if day == EMPTY_DAY - 1 else within
            within = max(within, EARLY) if day == EMPTY_DAY + 1 else within
            chain.mine(start + day * DAY + within)
        if day in (1, 2, 30, 74, 75, 76, 77, 120) or day > DAYS:
            before = collector.text()
            said += collector.run(*(collector.by_cookie if day % 2 else ["--user", USER]))
            assert collector.text().startswith(before), "a row was rewritten"
            if expected := complete_rows(chain.blocks(), prices):
                compared += compare(collector.text(), expected)
    assert said.count("no blocks") == 1 and f"{START + datetime.timedelta(days=EMPTY_DAY)}: no blocks" in said, said
    return compared


def reorganize(chain, collector, prices):
    """Replaces three blocks, which changes no complete day, and then the blocks of five days, which is refused."""
    node, before = chain.node, collector.text()
    tip = node.call("getblockcount")
    for depth, code in [(3, 0), (5 * BLOCKS_PER_DAY, 2)]:
        replaced = node.call("getblockhash", tip - depth + 1)
        moment = node.call("getblockheader", replaced)["time"]
        node.call("invalidateblock", replaced)
        for block in range(depth + 1):
            chain.mine(moment + 7_000 + block * 3_600)
        said = collector.run("--user", USER, code=code)
        if code:
            assert "network.csv" in said and "hashrate_eh" in said, said
            assert collector.text() == before
            node.call("invalidateblock", node.call("getblockhash", tip - depth + 1))
            node.call("reconsiderblock", replaced)
        else:
            compare(collector.text(), complete_rows(chain.blocks(), prices))
            before = collector.text()
        tip = node.call("getblockcount")


def kill_at_random(collector, kills, seed):
    """Kills collections with SIGKILL. Returns how many of them had saved rows, but not all."""
    chance, whole, partial = random.Random(seed), collector.text(), 0
    collector.file.unlink()
    began = time.monotonic()
    collector.run("--user", USER)
    duration = time.monotonic() - began
    assert collector.text() == whole, "a collection in one go differs"
    environment = {**os.environ, "GHI_RPC_PASSWORD": PASSWORD}
    for _ in range(kills):
        if collector.text() == whole:
            collector.file.unlink()
        process = subprocess.Popen([*collector.command, "--user", USER], env=environment, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, duration))
        process.send_signal(signal.SIGKILL)
        process.wait()
        text = collector.text()
        assert whole.startswith(text) and (not text or text.endswith("\n")), "incomplete rows"
        partial += 0 < len(text) < len(whole)
    collector.run("--user", USER)
    assert collector.text() == whole, "after the kills, the file differs"
    said = collector.run("--user", USER)
    assert collector.text() == whole and "0 rows added" in said, said
    return partial, duration


def serve(ghi, folder, text):
    """Serves the file, first without its last row, which a server takes when the file changes or on SIGHUP. The
    difficulty of regtest is below what series accept, and is scaled."""
    header, *rows = csv.reader(io.StringIO(text))
    rows = [[date, *(f"{float(cell) * SCALE:.6f}" for cell in cells[:2]), *cells[2:]] for date, *cells in rows]
    lines = [",".join(row) + "\n" for row in [header, *rows]]
    inputs = (server.ROOT / "crates/ghi-engine/inputs.toml").read_text()
    (folder / "inputs.toml").write_text(f'{inputs}\n[series]\nnetwork = "served.csv"\n')
    for flags in (["--watch"], []):
        (folder / "served.csv").write_text("".join(lines[:-1]))
        at = ["--at", f"{rows[-1][0]}T12:00:00Z", "--inputs", folder / "inputs.toml"]
        with server.Server(ghi, 0, *at, *flags) as running:
            assert served_hashrate(running) == round(float(rows[-2][2]), 2)
            (folder / "new.csv").write_text("".join(lines))
            (folder / "new.csv").rename(folder / "served.csv")
            if not flags:
                running.process.send_signal(signal.SIGHUP)
            deadline = time.monotonic() + 30
            while served_hashrate(running) != round(float(rows[-1][2]), 2):
                assert time.monotonic() < deadline, f"the new row is not served: {flags}"
                time.sleep(0.1)


def two_different_last_rows(text):
    """Returns the start of a file up to two rows with different hashrates."""
    rows = text.splitlines(keepends=True)
    while rows[-1].split(",")[2] == rows[-2].split(",")[2]:
        rows.pop()
    return "".join(rows)


def served_hashrate(running):
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=10)
    connection.request("GET", "/v1/ghi/network")
    return json.loads(connection.getresponse().read())["hashrate_eh"]


def main():
    given = server.arguments(__doc__, kills=10, seed=1)
    began = time.monotonic()
    chance = random.Random(given.seed)
    days = [str(START + datetime.timedelta(days=day)) for day in range(DAYS)]
    prices = {day: round(chance.uniform(50_000, 150_000), 2) for day in days if chance.random() < 0.9}
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        folder = Path(folder)
        (folder / "node").mkdir()
        node = stack.enter_context(Node(folder / "node"))
        prices_file = folder / "prices.csv"
        prices_file.write_text("date,price_usd\n" + "".join(f"{day},{price}\n" for day, price in prices.items()))
        chain, collector = Chain(node, given.seed), Collector(given.ghi, node, folder, prices_file)
        compared = grow(chain, collector, prices)
        times = [block[0] for block in chain.blocks()]
        disorder = sum(later < earlier for earlier, later in zip(times, times[1:]))
        assert disorder > 100, disorder
        early = sum(later // DAY < earlier // DAY for earlier, later in zip(times, times[1:]))
        assert early > 20, early
        reorganize(chain, collector, prices)
        serve(given.ghi, folder, two_different_last_rows(collector.text()))
        partial, duration = kill_at_random(collector, given.kills, given.seed)
        said = collector.run("--user", USER, password="wrong", code=2) if not collector.file.unlink() else ""
        assert "401" in said, said
    took = time.monotonic() - began
    print(f"{len(times)} blocks, {disorder} of them earlier than the one before, {early} by a day; {compared} cells compared;")
    print(f"collected in {duration:.2f} s; killed {given.kills} times, {partial} times with some rows saved; the result is the same")
    print(f"in all {took:.0f} s")


if __name__ == "__main__":
    main()
