#!/usr/bin/env python3
"""Compares this server with nginx and a bare hyper server under load.

    python3 bench/compare.py [--seconds 1] [--rounds 15] [--connections 64] [--ghi BINARY]

Needs wrk and nginx; takes a few minutes. Each round loads every server once, so that other load on
the machine affects them all equally; the table shows medians over the rounds. CPU time is that of the
server processes, read from /proc, so it excludes the load generator. The bare hyper server and
nginx return the same bytes as this server for the same path.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATHS = {
    "snapshot": "/v1/ghi/snapshot",
    "history": "/v1/ghi/history?region_id=us",
    "region detail": "/v1/ghi/regions/us",
    "forecast": "/v1/ghi/forecast?forecast_days=30",
}
PORTS = {"ghi": 18100, "bare hyper": 18101, "nginx": 18102}


def build(ghi=None):
    """Builds the bare server with link-time optimisation and, unless a binary is given, this server."""
    cargo = ["cargo", "build", "--locked", "--release", "--quiet"]
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    if ghi is None:
        subprocess.run(cargo, cwd=ROOT, check=True)
    bare = [*cargo, "--package", "ghi-server", "--example", "bare_hyper"]
    bare += ["--config", 'profile.release.lto="fat"', "--target-dir", target / "bare"]
    subprocess.run(bare, cwd=ROOT, check=True)
    return ghi or target / "release" / "ghi", target / "bare" / "release" / "examples" / "bare_hyper"


def wait_for(port):
    for _ in range(200):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1)
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.02)
    sys.exit(f"nothing listens on port {port}")


def family(pid):
    """Returns a process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def cpu_seconds(pid):
    """Returns the CPU time of a process and its children, all threads."""
    tasks = [task for each in family(pid) for task in Path(f"/proc/{each}/task").iterdir()]
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def memory_mb(pid):
    """Returns the resident memory of a process and its children; shared memory counts once per process."""
    status = [Path(f"/proc/{each}/status").read_text() for each in family(pid)]
    return sum(int(re.search(r"VmRSS:\s+(\d+)", text)[1]) for text in status) / 1024


def to_micros(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s)", text).groups()
    return float(number) * {"us": 1, "ms": 1e3, "s": 1e6}[unit]


def load(port, path, connections, seconds, headers=()):
    """Runs wrk once. Returns requests, requests per second, p50 and p99 in microseconds."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency"]
    command += [f"-H{header}" for header in headers]
    run = subprocess.run(
        [*command, f"http://127.0.0.1:{port}{path}"], check=True, capture_output=True, text=True
    )
    if re.search(r"Socket errors|Non-2xx", run.stdout):
        sys.exit(f"port {port} failed requests:\n{run.stdout}")
    requests = int(re.search(r"(\d+) requests in", run.stdout)[1])
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", run.stdout)[1])
    quantiles = [to_micros(re.search(rf"^ +{q}% +(\S+)", run.stdout, re.M)[1]) for q in (50, 99)]
    return requests, rate, *quantiles


class Servers:
    """The servers, which return the same response for a path. The bare one is optional."""

    def __init__(self, workers, ghi, bare=None, inputs=None):
        self.ghi, self.bare = ghi, bare
        self.workers = workers
        self.folder = Path(tempfile.mkdtemp(prefix="ghi-bench-"))
        self.running = {}
        more = ["--inputs", inputs] if inputs else []
        self.start("ghi", [self.ghi, "--listen", self.address("ghi"), "--workers", str(workers), *more])

    def address(self, name):
        return f"127.0.0.1:{PORTS[name]}"

    def start(self, name, command):
        process = subprocess.Popen(list(map(str, command)), stderr=subprocess.DEVNULL)
        self.running[name] = process
        wait_for(PORTS[name])

    def stop(self, name):
        if name in self.running:
            process = self.running.pop(name)
            process.terminate()
            process.wait()

    def stop_all(self):
        for name in list(self.running):
            self.stop(name)
        shutil.rmtree(self.folder)

    def serve_alike(self, path):
        """Makes the peers return this server's response for the path. Returns its head and body."""
        url = f"http://{self.address('ghi')}{path}"
        captured = subprocess.run(["curl", "-si", url], check=True, capture_output=True).stdout
        (self.folder / "response").write_bytes(captured)
        head, body = captured.split(b"\r\n\r\n", 1)
        if self.bare:
            self.stop("bare hyper")
            arguments = [self.address("bare hyper"), self.workers, self.folder / "response"]
            self.start("bare hyper", [self.bare, *arguments])
        self.stop("nginx")
        self.start("nginx", ["nginx", "-p", self.folder, "-c", self.nginx(path, head, body)])
        return head, body

    def nginx(self, path, head, body):
        """Starts nginx with the bytes as a static file, and the headers that it does not set itself."""
        (self.folder / "root").mkdir(exist_ok=True)
        (self.folder / "root" / "document.json").write_bytes(body)
        own = {"date", "content-length", "etag", "content-type", "connection"}
        headers = [line.split(": ", 1) for line in head.decode().split("\r\n")[1:]]
        lines = [f"add_header {n} '{v}';" for n, v in headers if n.lower() not in own]
        config = self.folder / "nginx.conf"
        config.write_text(f"""
            worker_processes {self.workers};
            daemon off;
            pid {self.folder}/nginx.pid;
            error_log {self.folder}/error.log;
            events {{ worker_connections 4096; }}
            http {{
                access_log off;
                default_type application/json;
                sendfile on;
                tcp_nopush on;
                keepalive_requests 1000000000;
                open_file_cache max=10;
                client_body_temp_path {self.folder}/tmp;
                proxy_temp_path {self.folder}/tmp;
                fastcgi_temp_path {self.folder}/tmp;
                uwsgi_temp_path {self.folder}/tmp;
                scgi_temp_path {self.folder}/tmp;
                server {{
                    listen {self.address("nginx")} reuseport;
                    root {self.folder}/root;
                    {" ".join(lines)}
                    location = {path.split("?")[0]} {{ try_files /document.json =404; }}
                }}
            }}
        """)
        os.chmod(self.folder, 0o755)
        return config


def measure(servers, name, path, connections, seconds, headers=()):
    """Returns requests per second, p50, p99, CPU microseconds per request and MB for one load."""
    pid = servers.running[name].pid
    before = cpu_seconds(pid)
    requests, rate, p50, p99 = load(PORTS[name], path, connections, seconds, headers)
    micros = (cpu_seconds(pid) - before) * 1e6 / requests
    return rate, p50, p99, micros, memory_mb(pid)


def compare(servers, path, arguments):
    """Returns the medians of every server for a path."""
    servers.serve_alike(path)
    samples = {name: [] for name in PORTS}
    for name in PORTS:
        load(PORTS[name], path, arguments.connections, 1)
    for _ in range(arguments.rounds):
        for name in PORTS:
            sample = measure(servers, name, path, arguments.connections, arguments.seconds)
            samples[name].append(sample)
    medians = {
        name: [statistics.median(column) for column in zip(*rows)] for name, rows in samples.items()
    }
    for name, rows in samples.items():
        # Per round, because other load on the machine changes from round to round.
        ratios = [own[3] / bare[3] for own, bare in zip(rows, samples["bare hyper"])]
        medians[name].insert(4, statistics.median(ratios))
    return medians


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=int, default=1, help="duration of each load")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--ghi", type=Path, help="measure this binary instead of building one")
    parser.add_argument("--only", choices=PATHS, help="measure only this document")
    arguments = parser.parse_args()
    servers = Servers(arguments.workers, *build(arguments.ghi))
    try:
        print("| document | server | requests/s | p50 us | p99 us | CPU us/request | x bare hyper | MB |")
        print("|---|---|---:|---:|---:|---:|---:|---:|")
        for document, path in PATHS.items():
            if arguments.only and document != arguments.only:
                continue
            medians = compare(servers, path, arguments)
            for name, (rate, p50, p99, micros, ratio, memory) in medians.items():
                print(
                    f"| {document} | {name} | {rate:,.0f} | {p50:,.0f} | {p99:,.0f} "
                    f"| {micros:.2f} | {ratio:.2f} | {memory:.1f} |",
                    flush=True,
                )
    finally:
        servers.stop_all()


if __name__ == "__main__":
    main()
