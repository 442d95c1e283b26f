"""Starts the server under test, measures it, and talks to it over plain sockets."""

import argparse
import http.client
import os
import re
import resource
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))

sys.path.append(str(ROOT / "bench"))
from compare import cpu_seconds  # noqa: E402, F401 (the checks take both from here)
from scale import inputs  # noqa: E402, F401


def arguments(doc, **more):
    """Parses the command line: `--ghi` and the options of a check, such as `minutes=10.0` or `short=False`."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--ghi", type=Path, help="check this binary instead of building one")
    for name, default in more.items():
        kind = {"action": "store_true"} if default is False else {"type": type(default), "default": default}
        parser.add_argument(f"--{name}", **kind)
    given = parser.parse_args()
    given.ghi = given.ghi or build()
    return given


def build():
    """Builds the shipped binary; instant if it is up to date."""
    subprocess.run(["cargo", "static", "--quiet"], cwd=ROOT, check=True)
    host = subprocess.run(["rustc", "--print", "host-tuple"], check=True, capture_output=True, text=True).stdout
    return TARGET / host.strip() / "release/ghi"


def raise_descriptor_limit():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class Server:
    """A server that runs until the end of the `with` block; port 0 selects a free port."""

    def __init__(self, ghi, port, *flags, env=None):
        command = [ghi, "--listen", f"127.0.0.1:{port}", *flags]
        self.process = subprocess.Popen(
            list(map(str, command)), stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})}
        )
        greeting = self.process.stderr.readline()
        while "listens" not in greeting:
            more = self.process.stderr.readline()
            if not more:
                sys.exit(f"the server did not start: {greeting.strip()}")
            greeting = more
        self.port = port or int(re.search(r"listens on \S*:(\d+)", greeting)[1])
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def assert_alive(self):
        assert self.process.poll() is None, "the server has stopped"

    def memory_mb(self):
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def connect(self, receive_buffer=None, source=None):
        """Opens a connection. With a small receive buffer, the kernel accepts little data for a slow reader."""
        client = socket.socket()
        client.settimeout(60)
        if receive_buffer:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if source:
            client.bind((source, 0))
        client.connect(("127.0.0.1", self.port))
        return client


def until_open(port):
    for _ in range(3000):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
    sys.exit(f"nothing listens on port {port}")


def get(port, path, headers=None, source="127.0.0.1"):
    """Sends a request over a new connection. Returns status, headers and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30, source_address=(source, 0))
    connection.request("GET", path, headers=headers or {})
    answer = connection.getresponse()
    found = answer.status, answer.headers, answer.read()
    connection.close()
    return found


def request(path, *headers):
    lines = [f"GET {path} HTTP/1.1", "Host: check", *headers, "", ""]
    return "\r\n".join(lines).encode()


def read_answer(client, buffer=bytearray(1 << 20)):
    """Reads one response with a Content-Length. Returns its status and the size of its body."""
    head = b""
    while b"\r\n\r\n" not in head:
        part = client.recv(4096)
        assert part, f"the connection ended within a head: {head!r}"
        head += part
    head, body = head.split(b"\r\n\r\n", 1)
    size = int(re.search(rb"(?i)\r\ncontent-length: (\d+)", head)[1])
    left = size - len(body)
    while left:
        count = client.recv_into(buffer, min(left, len(buffer)))
        assert count, f"the connection ended {left} bytes early"
        left -= count
    return int(head.split()[1]), size


def reset(client):
    """Closes with RST instead of FIN."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
