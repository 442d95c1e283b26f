#!/usr/bin/env python3
"""Three replicas behind HAProxy are restarted one after the other, and one is killed, under load:
no request fails.

    python3 checks/rolling_restart.py

Needs haproxy and wrk; takes some twenty seconds.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
REPLICAS = [18301, 18302, 18303]
FRONT = 18300

HAPROXY = f"""
global
    maxconn 1000
defaults
    mode http
    timeout connect 1s
    timeout client 10s
    timeout server 10s
    option redispatch
    retries 3
    retry-on all-retryable-errors
frontend front
    bind 127.0.0.1:{FRONT}
    default_backend replicas
backend replicas
    option httpchk GET /readyz
    http-check send hdr Host localhost
    default-server check inter 100ms fall 1 rise 1
""" + "".join(f"    server r{port} 127.0.0.1:{port}\n" for port in REPLICAS)


def get(port, path, headers=None):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=2) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


def start(port):
    command = [TARGET / "release/ghi", "--listen", f"127.0.0.1:{port}", "--workers", "1", "--drain", "1"]
    process = subprocess.Popen(list(map(str, command)), stderr=subprocess.DEVNULL)
    until_ready(port)
    return process


def until_ready(port):
    for _ in range(500):
        try:
            if get(port, "/readyz")[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.01)
    sys.exit(f"port {port} does not get ready")


def main():
    subprocess.run(["cargo", "build", "--locked", "--release", "--quiet"], cwd=ROOT, check=True)
    replicas = {port: start(port) for port in REPLICAS}
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "haproxy.cfg"
        config.write_text(HAPROXY)
        balancer = subprocess.Popen(["haproxy", "-db", "-f", str(config)], stderr=subprocess.DEVNULL)
        try:
            until_ready(FRONT)
            tags = {get(port, "/v1/ghi/snapshot")[1]["etag"] for port in [*REPLICAS, FRONT]}
            assert len(tags) == 1, f"replicas disagree on the tag: {tags}"
            known = {"If-None-Match": tags.pop()}
            assert {get(port, "/v1/ghi/snapshot", known)[0] for port in REPLICAS} == {304}

            url = f"http://127.0.0.1:{FRONT}/v1/ghi/snapshot"
            load = subprocess.Popen(
                ["wrk", "-t1", "-c32", "-d14s", url], stdout=subprocess.PIPE, text=True
            )
            time.sleep(1)
            for port in REPLICAS:
                replicas[port].send_signal(signal.SIGTERM)
                code = replicas[port].wait(timeout=10)
                assert code == 0, f"a replica ended with {code}"
                replicas[port] = start(port)
                time.sleep(1)
            replicas[REPLICAS[0]].kill()
            replicas[REPLICAS[0]].wait()
            time.sleep(1)
            replicas[REPLICAS[0]] = start(REPLICAS[0])
            output = load.communicate()[0]
        finally:
            balancer.kill()
            for process in replicas.values():
                process.kill()
    requests = int(re.search(r"(\d+) requests in", output)[1])
    failed = re.search(r"Socket errors.*|Non-2xx.*", output)
    assert not failed, f"of {requests} requests: {failed[0]}"
    assert requests >= 100_000, f"{requests} requests are too few to tell"
    print(f"{requests:,} requests, none failed")


if __name__ == "__main__":
    main()
