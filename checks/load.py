"""Generates load and checks every response. Each connection has one request at a time."""

import multiprocessing
import re
import select
import socket
import time
from collections import Counter, deque
from dataclasses import dataclass, field

TIMEOUT = 15  # Seconds without a response, after which a request has failed.
LATE = 1.0  # Seconds after which a response counts as late.
SWEEP = 0.1  # Seconds between two checks for late requests and for the end.
LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
CLOSES = re.compile(rb"(?i)\r\nconnection: *close")
CHUNK = re.compile(rb"([0-9a-fA-F]+)\r\n")


@dataclass
class Answer:
    status: int
    head: bytes
    body: bytes
    received: float  # By time.time(), to compare with other processes' clocks.

    def header(self, name):
        found = re.search(rb"(?i)\r\n" + name.encode() + rb": *([^\r]*)", self.head)
        return found and found[1].decode()


@dataclass
class Tally:
    """Results of requests. Judges may count more in `seen`."""

    requests: int = 0
    failed: Counter = field(default_factory=Counter)
    late: int = 0
    slowest: float = 0.0
    seconds: float = 0.0
    seen: Counter = field(default_factory=Counter)

    def add(self, other):
        self.requests += other.requests
        self.failed += other.failed
        self.late += other.late
        self.slowest = max(self.slowest, other.slowest)
        self.seconds = max(self.seconds, other.seconds)
        self.seen += other.seen

    def __str__(self):
        rate = self.requests / self.seconds
        return (
            f"{sum(self.failed.values())} failed of {self.requests:,} ({rate:,.0f}/s), "
            f"{self.late} took more than a second, the slowest {self.slowest:.2f} s"
        )


def whole_body(head, rest):
    """Returns the body of a response, or None if it is not complete yet."""
    if head.startswith(b"HTTP/1.1 304"):
        return b""
    length = LENGTH.search(head)
    if length:
        return rest if len(rest) >= int(length[1]) else None
    body = b""
    at = 0
    while chunk := CHUNK.match(rest, at):
        size = int(chunk[1], 16)
        body += rest[chunk.end() : chunk.end() + size]
        at = chunk.end() + size + 2
        if size == 0:
            return body if len(rest) >= at else None
    return None


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""
        self.asked = None

    def send(self, asked, wire):
        self.asked, self.sent = asked, time.monotonic()
        self.socket.sendall(wire)

    def read(self):
        """Returns the response if it is complete; raises OSError if the connection ends early."""
        part = self.socket.recv(1 << 18)
        if not part:
            raise ConnectionError("closed without a complete response")
        self.received += part
        end = self.received.find(b"\r\n\r\n")
        if end < 0:
            return None
        head = self.received[:end]
        body = whole_body(head, self.received[end + 4 :])
        if body is None:
            return None
        self.received = b""
        return Answer(int(head[9:12]), head, body, time.time())


class Loader:
    """Runs one process's part of the load. `ask()` returns a value to remember and the bytes of a request;
    `judge(asked, answer, seen)` returns why the response is wrong, or None."""

    def __init__(self, port, ask, judge, connections, rate):
        self.port, self.ask, self.judge, self.rate = port, ask, judge, rate
        self.tally = Tally()
        self.poll = select.epoll()
        self.open = {}
        self.idle = deque()
        for _ in range(connections):
            self.connect()

    def connect(self):
        connection = Connection(self.port)
        self.open[connection.socket.fileno()] = connection
        self.poll.register(connection.socket, select.EPOLLIN)
        self.idle.append(connection)

    def replace(self, connection):
        """Closes the connection and opens another."""
        del self.open[connection.socket.fileno()]
        self.poll.unregister(connection.socket)
        connection.socket.close()
        self.connect()

    def fail(self, connection, reason):
        self.tally.failed[reason] += 1
        self.end(connection)
        self.replace(connection)

    def end(self, connection):
        took = time.monotonic() - connection.sent
        self.tally.requests += 1
        self.tally.late += took > LATE
        self.tally.slowest = max(self.tally.slowest, took)
        connection.asked = None

    def take(self, connection):
        if connection.asked is None:
            # Closed between two requests, so no request is lost.
            self.idle.remove(connection)
            return self.replace(connection)
        try:
            answer = connection.read()
        except OSError as error:
            return self.fail(connection, str(error))
        if answer is None:
            return None
        reason = self.judge(connection.asked, answer, self.tally.seen)
        if reason:
            self.tally.failed[reason] += 1
        self.end(connection)
        if CLOSES.search(answer.head):
            return self.replace(connection)
        self.idle.append(connection)

    def send_due(self, started):
        now = time.monotonic() - started
        due = self.rate * now - self.sent if self.rate else len(self.idle)
        while self.idle and due >= 1:
            connection = self.idle.popleft()
            try:
                connection.send(*self.ask())
            except OSError as error:
                self.fail(connection, str(error))
            self.sent += 1
            due -= 1

    def run(self, stop, progress):
        started = swept = time.monotonic()
        self.sent = 0
        while True:
            stopped = stop.is_set()
            if stopped and len(self.idle) == len(self.open):
                break
            if not stopped:
                self.send_due(started)
            for descriptor, _ in self.poll.poll(0.002):
                self.take(self.open[descriptor])
            now = time.monotonic()
            if now - swept > SWEEP:
                swept = now
                progress.value = self.tally.requests
                for connection in list(self.open.values()):
                    if connection.asked is not None and now - connection.sent > TIMEOUT:
                        self.fail(connection, f"no response within {TIMEOUT} s")
        self.tally.seconds = time.monotonic() - started


class Load:
    """Generates load from the start of its `with` block; `finish()` ends it and returns the results."""

    def __init__(self, port, ask, judge, connections=32, processes=1, rate=None):
        fork = multiprocessing.get_context("fork")
        self.stop = fork.Event()
        self.workers = []
        for _ in range(processes):
            progress, (ours, theirs) = fork.Value("q", 0), fork.Pipe()
            share = (connections // processes, rate and rate / processes)
            arguments = (port, ask, judge, *share, progress, theirs)
            process = fork.Process(target=self.work, args=arguments, daemon=True)
            self.workers.append((process, progress, ours))

    def work(self, port, ask, judge, connections, rate, progress, results):
        loader = Loader(port, ask, judge, connections, rate)
        loader.run(self.stop, progress)
        results.send(loader.tally)

    def __enter__(self):
        for process, *_ in self.workers:
            process.start()
        return self

    def __exit__(self, *_):
        for process, *_ in self.workers:
            process.kill()
            process.join()

    def answered(self):
        """Returns approximately how many requests have been completed so far."""
        assert all(process.is_alive() for process, *_ in self.workers), "the load has ended"
        return sum(progress.value for _, progress, _ in self.workers)

    def finish(self):
        self.stop.set()
        tally = Tally()
        for _, _, results in self.workers:
            tally.add(results.recv())
        return tally
