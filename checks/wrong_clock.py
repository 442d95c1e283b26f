#!/usr/bin/env python3
"""A server that starts four seconds before 1970 refuses clearly, and recovers without a restart;
one that leaves the year 9999 refuses on the connections that are open.

    python3 checks/wrong_clock.py

Needs libfaketime.
"""

import glob
import http.client
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PORT = 18310


def start(moment):
    library = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    if not library:
        sys.exit("libfaketime is not installed")
    faked = {"LD_PRELOAD": library[0], "FAKETIME": f"@{moment}", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    process = subprocess.Popen(
        [str(TARGET / "release/ghi"), "--listen", f"127.0.0.1:{PORT}"],
        env={**os.environ, **faked, "TZ": "UTC"},
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stderr.readline()
    return process


def get(connection, path, method="GET"):
    connection.request(method, path)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def fresh(path, method="GET"):
    return get(http.client.HTTPConnection("127.0.0.1", PORT, timeout=5), path, method)


def end(process):
    process.terminate()
    errors = process.communicate(timeout=20)[1]
    assert "panic" not in errors, errors
    assert errors.count("clock is outside") == 1, errors


def main():
    subprocess.run(["cargo", "build", "--locked", "--release", "--quiet"], cwd=ROOT, check=True)

    process = start("1969-12-31 23:59:56")
    try:
        status, body = fresh("/v1/ghi/snapshot")
        assert status == 503 and '"code":"clock_out_of_range"' in body, (status, body)
        assert '"instance":"/v1/ghi/snapshot"' in body, body
        assert fresh("/v1/ghi/snapshot", "HEAD") == (503, "")
        assert fresh("/healthz")[0] == 200
        assert fresh("/readyz")[0] == 503
        deadline = time.monotonic() + 10
        while fresh("/v1/ghi/indicator")[0] != 200:
            assert time.monotonic() < deadline, "it does not recover"
            time.sleep(0.05)
        assert '"date":"1970-01-01"' in fresh("/v1/ghi/indicator")[1]
    finally:
        end(process)

    process = start("9999-12-31 23:59:57")
    try:
        kept = http.client.HTTPConnection("127.0.0.1", PORT, timeout=5)
        assert get(kept, "/v1/ghi/indicator")[0] == 200
        time.sleep(4)
        assert get(kept, "/v1/ghi/indicator")[0] == 503
        assert fresh("/v1/ghi/indicator")[0] == 503
        assert fresh("/healthz")[0] == 200
    finally:
        end(process)
    print("refused, recovered, never panicked")


if __name__ == "__main__":
    main()
