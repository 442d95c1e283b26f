#!/usr/bin/env python3
"""Runs all kinds of load at once, with 256 regions: memory and descriptors stay flat, and a
well-behaved polling client is always served.

    python3 checks/soak.py [--ghi BINARY] [--minutes 10]

Prints a line every ten seconds. Memory and descriptors are compared from the third minute on, so a run
of less than four minutes checks only the responses. The last line is a table row for docs/reliability.md.
"""

import asyncio
import datetime
import http.client
import multiprocessing
import random
import re
import socket
import statistics
import struct
import sys
import tempfile
import time

import server
from server import Server, inputs, request

PORT = 18340
GZIP = "Accept-Encoding: gzip"
POLL_BOUND_S = 1.0
FLAT = 1.05
SETTLED_MINUTES = 3
PATHS = [
    "/v1/ghi/snapshot",
    "/v1/ghi/regions",
    "/v1/ghi/regions/r77",
    "/v1/ghi/history?region_id=r7",
    "/v1/ghi/forecast?forecast_days=30",
    "/v1/ghi/network",
    "/v1/ghi/indicator",
    "/",
    "/?region_id=r9",
    "/docs",
    "/charts/history.svg",
    "/charts/regions.svg?theme=dark",
    "/export/history.csv?region_id=r3",
    "/export/snapshot.csv",
    "/metrics",
    "/openapi.json",
    "/llms.txt",
    "/assets/reference.js",
    "/nowhere",
    "/v1/ghi/regions/nowhere",
    "/v1/ghi/forecast?forecast_days=0",
]
LARGE = ["/v1/ghi/snapshot", "/v1/ghi/regions", "/assets/reference.js", "/export/snapshot.csv", "/metrics"]
MALFORMED = [
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET / HTTP/1.1\nHost: a\n\n",
    b"GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: a\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nA b: c\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n",
    b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
    bytes(range(256)) * 8,
]


class Client:
    """A connection of a misbehaving client."""

    def __init__(self, done, failed):
        self.done, self.failed = done, failed

    async def __aenter__(self):
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        client.setblocking(False)
        await asyncio.get_running_loop().sock_connect(client, ("127.0.0.1", PORT))
        self.reader, self.writer = await asyncio.open_connection(sock=client)
        return self

    async def __aexit__(self, *_):
        self.writer.transport.abort()

    async def answer(self):
        """Reads one response. Returns its status, its headers and whether another may follow."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        status = int(head.split()[1])
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
        left = 0 if status in (204, 304) or not length else int(length[1])
        while left:
            part = await self.reader.read(min(left, 1 << 18))
            if not part:
                raise asyncio.IncompleteReadError(b"", left)
            left -= len(part)
        self.count(status)
        tag = re.search(rb"(?i)\r\netag: (\S+)", head)
        return status, tag and tag[1].decode(), b"\r\nconnection: close" not in head.lower()

    def count(self, status):
        self.done.value += 1
        if status >= 500:
            self.failed.value += 1

    def reset(self):
        linger = struct.pack("ii", 1, 0)
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.writer.transport.abort()


async def churn(client, chance):
    """Sends a few requests and disconnects."""
    for _ in range(chance.randint(1, 10)):
        headers = chance.choice([(), (GZIP,), ("Prefer: return=minimal",)])
        client.writer.write(request(chance.choice(PATHS), *headers))
        if not (await client.answer())[2]:
            return


async def revalidate(client, chance):
    """Sends conditional requests."""
    path = chance.choice(PATHS[:6])
    client.writer.write(request(path))
    _, tag, _ = await client.answer()
    for _ in range(20):
        client.writer.write(request(path, f"If-None-Match: {tag}", chance.choice([GZIP, "X-No: gzip"])))
        status, tag, _ = await client.answer()
        assert status in (200, 304), status
        await asyncio.sleep(0.02)


async def read_slowly(client, chance):
    client.writer.transport.set_write_buffer_limits(0)
    client.writer.write(request(chance.choice(LARGE), *chance.choice([(), (GZIP,)])))
    for _ in range(chance.randint(5, 50)):
        if not await client.reader.read(4096):
            return
        await asyncio.sleep(0.1)


async def write_slowly(client, chance):
    message = request(chance.choice(PATHS), "User-Agent: slow")
    for byte in message[: chance.randint(20, len(message))]:
        client.writer.write(bytes([byte]))
        await asyncio.sleep(0.1)


async def stay_silent(client, chance):
    await asyncio.wait_for(client.reader.read(1), chance.uniform(1, 15))


async def reset_in_the_middle(client, chance):
    client.writer.write(request(chance.choice(LARGE), *chance.choice([(), (GZIP,)])))
    await client.reader.read(100)
    client.done.value += 1
    client.reset()
    await asyncio.sleep(0.005)


async def pipeline(client, chance):
    """Pipelines many requests and reads some of the responses."""
    client.writer.write(b"".join(request(chance.choice(PATHS)) for _ in range(20)))
    for _ in range(chance.randint(0, 20)):
        if not (await client.answer())[2]:
            return


async def send_nonsense(client, chance):
    client.writer.write(chance.choice(MALFORMED))
    start = await asyncio.wait_for(client.reader.read(64), 12)
    if start:
        client.count(int(start.split()[1]))
        assert not start.startswith(b"HTTP/1.1 2"), start
    await asyncio.sleep(0.05)


# The number of concurrent clients of each kind.
CROWD = {
    churn: 4,
    revalidate: 10,
    read_slowly: 60,
    write_slowly: 60,
    stay_silent: 60,
    reset_in_the_middle: 2,
    pipeline: 1,
    send_nonsense: 4,
}


def crowd(end, done, failed, wrong):
    """Runs clients in one process."""

    async def one(kind, seed):
        chance = random.Random(seed)
        while time.monotonic() < end:
            try:
                async with Client(done, failed) as client:
                    await kind(client, chance)
            except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError, asyncio.LimitOverrunError):
                # The server may disconnect misbehaving clients; the poller verifies that others are served.
                await asyncio.sleep(0.01)
            except AssertionError as error:
                wrong.put(f"{kind.__name__}: {error}")
                return

    async def everyone():
        seeds = iter(range(1_000_000))
        await asyncio.gather(*(one(kind, next(seeds)) for kind, count in CROWD.items() for _ in range(count)))

    asyncio.run(everyone())


def poll(port, end, worst, wrong):
    """The well-behaved client, which alternates between a keep-alive and a new connection."""
    kept = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    while time.monotonic() < end:
        for connection in (kept, http.client.HTTPConnection("127.0.0.1", port, timeout=60)):
            started = time.monotonic()
            try:
                connection.request("GET", "/v1/ghi/indicator")
                answer = connection.getresponse()
                answer.read()
            except OSError as error:
                wrong.put(f"a poll failed: {error!r}")
                return
            took = time.monotonic() - started
            worst.value = max(worst.value, took)
            if answer.status != 200:
                wrong.put(f"a poll got {answer.status}")
        time.sleep(0.05)


def watch(running, begun, end, done, worst):
    """Prints a line every ten seconds. Returns seconds, memory and descriptors for each second."""
    samples, worst_of_all = [], 0.0
    print("| minute | MB | descriptors | requests | slowest poll, ms |\n|---:|---:|---:|---:|---:|", flush=True)
    next_line = begun + 10
    while (now := time.monotonic()) < end:
        time.sleep(1)
        running.assert_alive()
        samples.append((now - begun, running.memory_mb(), running.descriptors()))
        if now >= next_line:
            next_line += 10
            recent = worst.value
            worst.value = 0.0
            worst_of_all = max(worst_of_all, recent)
            print(
                f"| {(now - begun) / 60:.1f} | {samples[-1][1]:.1f} | {samples[-1][2]} "
                f"| {done.value:,} | {recent * 1000:.0f} |",
                flush=True,
            )
    return samples, max(worst_of_all, worst.value)


def mean_of_minute(samples, minute, column):
    """Returns the mean over the minute that ends then."""
    chosen = [each[column] for each in samples if (minute - 1) * 60 <= each[0] < minute * 60]
    return statistics.mean(chosen)


def third_and_last_minute(samples, minutes):
    """Returns memory and descriptors as table cells, and a message for each that has risen."""
    if minutes <= SETTLED_MINUTES:
        print("too short to judge memory and descriptors")
        return " | | | |", []
    third, last, risen = "", "", []
    for column, what in [(1, "MB"), (2, "descriptors")]:
        before, after = (mean_of_minute(samples, m, column) for m in (SETTLED_MINUTES, minutes))
        third, last = f"{third} {before:.1f} |", f"{last} {after:.1f} |"
        if after > before * FLAT:
            risen.append(f"{what} rise from {before:.1f} in the third minute to {after:.1f} in the last")
    return third + last, risen


def main():
    given = server.arguments(__doc__, minutes=10.0)
    server.raise_descriptor_limit()
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(given.ghi, PORT, "--inputs", inputs(folder)) as running,
        # Polling it shows how busy the machine is.
        Server(given.ghi, 0) as control,
    ):
        idle = running.descriptors()
        done, failed = multiprocessing.Value("q", 0), multiprocessing.Value("q", 0)
        worst, worst_control = multiprocessing.Value("d", 0.0), multiprocessing.Value("d", 0.0)
        wrong = multiprocessing.SimpleQueue()
        begun = time.monotonic()
        end = begun + given.minutes * 60
        crowded = multiprocessing.Process(target=crowd, args=(end, done, failed, wrong), daemon=True)
        pollers = [
            multiprocessing.Process(target=poll, args=(PORT, end, worst, wrong), daemon=True),
            multiprocessing.Process(target=poll, args=(control.port, end, worst_control, wrong), daemon=True),
        ]
        for client in [crowded, *pollers]:
            client.start()
        samples, worst_poll = watch(running, begun, end, done, worst)
        for poller in pollers:
            poller.join(timeout=60)
        for client in [crowded, *pollers]:
            client.kill()
            client.join()
        deadline = time.monotonic() + 60
        while running.descriptors() > idle and time.monotonic() < deadline:
            time.sleep(0.1)
        left = running.descriptors()
        running.assert_alive()

    found = set()
    while not wrong.empty():
        found.add(wrong.get())
    print(f"the slowest poll took {worst_poll * 1000:.0f} ms, on an idle server {worst_control.value * 1000:.0f} ms")
    if worst_poll > POLL_BOUND_S + 3 * worst_control.value:
        found.add(f"a poll took {worst_poll:.2f} s")
    if failed.value:
        found.add(f"{failed.value} responses with 5xx")
    if left > idle:
        found.add(f"{left} descriptors are open afterwards, {idle} before")
    cells, risen = third_and_last_minute(samples, given.minutes)
    found.update(risen)
    print(
        "\n| date | minutes | requests | 5xx | MB, 3rd minute | descriptors | MB, last minute "
        "| descriptors | slowest poll, ms |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    print(
        f"| {datetime.date.today()} | {given.minutes:g} | {done.value:,} | {failed.value} "
        f"|{cells} {worst_poll * 1000:.0f} |",
        flush=True,
    )
    if found:
        sys.exit("\n".join(sorted(found)[:20]))


if __name__ == "__main__":
    main()
