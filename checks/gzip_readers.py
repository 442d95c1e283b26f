#!/usr/bin/env python3
"""Checks that curl, Python, Node and gzip can read compressed responses, and that they equal the plain ones.

    python3 checks/gzip_readers.py [--ghi BINARY]

Needs curl, gzip and node; takes about ten seconds. Each document is compressed with its time,
so documents are read at 1,000 instants of the running clock, and at special dates. Everything else is compared
with its plain form, with a stopped clock.
"""

import gzip
import http.client
import json
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import server
from server import Server, inputs

PORT = 18325
INSTANTS = 1000
SMALLEST = 1401
STAMP = re.compile(rb'"timestamp_utc":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)"')
DOCUMENTS = [
    "/v1/ghi/snapshot",
    "/v1/ghi/regions",
    "/v1/ghi/history",
    "/v1/ghi/history?region_id=r7",
    "/v1/ghi/regions/r7",
    "/v1/ghi/metadata",
    "/v1/ghi/network",
    "/v1/ghi/forecast",
    "/v1/ghi/indicator",
]
OTHERS = [
    "/",
    "/?region_id=r7",
    "/docs",
    "/problems/not_found",
    "/assets/style.css",
    "/assets/dashboard.js",
    "/assets/icon.svg",
    "/charts/history.svg",
    "/charts/regions.svg",
    "/export/history.csv",
    "/export/snapshot.csv",
    "/openapi.json",
    "/openapi-3.0.json",
    "/llms.txt",
]
AT = [
    "2026-11-15T00:00:00Z",
    "2026-11-15T23:59:59.999999Z",
    "2028-02-29T12:00:00.000001Z",
    "1970-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z",
]
ON_THE_WIRE = {"/openapi.json": 22_000, "/": 10_000}

NODE = """
const fs = require('fs'), zlib = require('zlib');
const [folder, url, count] = process.argv.slice(1);
const die = (text) => { console.error(text); process.exit(1); };
const files = fs.readdirSync(folder).filter((name) => name.endsWith('.gz'));
for (const name of files) {
  const read = zlib.gunzipSync(fs.readFileSync(`${folder}/${name}`));
  const expected = fs.readFileSync(`${folder}/${name.slice(0, -3)}`);
  if (!read.equals(expected)) die(`gunzipSync reads ${name} differently`);
}
(async () => {
  for (let n = 0; n < count; n++) {
    const answer = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
    if (answer.headers.get('content-encoding') !== 'gzip') die('fetch got no gzip');
    if (!(await answer.json()).timestamp_utc) die('fetch read another document');
  }
})().catch((error) => die(`fetch fails: ${error.cause ?? error}`));
"""


def get(connection, path, encoding=None, method="GET"):
    """Returns status, headers and the raw body."""
    connection.request(method, path, headers={"Accept-Encoding": encoding} if encoding else {})
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def decoded(body, what):
    """Returns the decompressed body. Requires one member, a correct checksum and length, and nothing after it."""
    reader = zlib.decompressobj(wbits=31)
    plain = reader.decompress(body) + reader.flush()
    assert reader.eof, f"{what} ends early"
    assert not reader.unused_data, f"{what} has {len(reader.unused_data)} bytes after its end"
    assert plain == gzip.decompress(body), f"{what} is read differently by gzip and zlib"
    assert int.from_bytes(body[-8:-4], "little") == zlib.crc32(plain), f"{what}: wrong checksum"
    assert int.from_bytes(body[-4:], "little") == len(plain), f"{what}: wrong length"
    return plain


def without_stamp(body):
    return STAMP.sub(b'"timestamp_utc":""', body)


def compare(connection, path, what):
    """Fetches a path plain and compressed. Returns the compressed body, or None if it is too short."""
    status, plain_headers, plain = get(connection, path)
    assert status == 200, f"{what}: {status}"
    status, headers, body = get(connection, path, "gzip")
    assert status == 200, f"{what}: {status}"
    if plain_headers["Content-Encoding"] == "gzip":
        plain = decoded(plain, what)  # The script of the API reference has no other form.
    if len(plain) < SMALLEST:
        assert headers["Content-Encoding"] is None, f"{what} has {len(plain)} bytes, but is compressed"
        return None
    assert headers["Content-Encoding"] == "gzip", f"{what} has {len(plain):,} bytes, but is not compressed"
    for each in (plain_headers, headers):
        vary = ",".join(each.get_all("Vary", [])).lower()
        assert "accept-encoding" in vary, f"{what}: Vary is {vary!r}"
    tags = plain_headers["ETag"], headers["ETag"]
    assert tags[0] == tags[1], f"{what}: its tag is {tags[0]} plain and {tags[1]} compressed"
    read = decoded(body, what)
    assert without_stamp(read) == without_stamp(plain), f"{what} differs from the plain response"
    _, _, refused = get(connection, path, "gzip;q=0, identity")
    assert without_stamp(refused) == without_stamp(plain), f"{what} is compressed although the client refuses gzip"
    return body


def instants(connection, folder):
    """Reads the documents that are long enough at 1,000 instants, and saves them."""
    long_enough = [path for path in DOCUMENTS if compare(connection, path, path)]
    assert "/v1/ghi/snapshot" in long_enough and "/v1/ghi/regions" in long_enough, long_enough
    for path in long_enough:
        plain = without_stamp(get(connection, path)[2])
        stamps = set()
        for number in range(INSTANTS):
            what = f"{path}, the {number}th time"
            _, headers, body = get(connection, path, "gzip")
            assert headers["Content-Encoding"] == "gzip", f"{what}: not compressed"
            read = decoded(body, what)
            assert without_stamp(read) == plain, f"{what}: differs from the plain response"
            stamps.add(STAMP.search(read)[1])
            name = re.sub(r"\W", "_", path)
            (folder / f"{name}-{number}.gz").write_bytes(body)
            (folder / f"{name}-{number}").write_bytes(read)
        assert len(stamps) == INSTANTS, f"{path}: {len(stamps)} timestamps in {INSTANTS} responses"
    return long_enough


def other_readers(folder, long_enough):
    """Reads the files with gzip and Node, and the server with curl and Node's fetch."""
    files = sorted(folder.glob("*.gz"))
    # Files per call, because the length of a command line is limited.
    for start in range(0, len(files), 500):
        subprocess.run(["gzip", "-t", *files[start : start + 500]], check=True)
    url = f"http://127.0.0.1:{PORT}{long_enough[0]}"
    subprocess.run(["node", "-e", NODE, "--", folder, url, str(INSTANTS)], check=True)
    for path in long_enough:
        separator = "&" if "?" in path else "?"
        many = f"http://127.0.0.1:{PORT}{path}{separator}number=[1-{INSTANTS}]"
        curl = ["curl", "--compressed", "--silent", "--show-error", "--fail", "--write-out", "\n", many]
        answers = subprocess.run(curl, check=True, capture_output=True).stdout.splitlines()
        plain = {without_stamp(line) for line in answers}
        assert len(answers) == INSTANTS and len(plain) == 1, f"curl reads {path} differently"
        json.loads(plain.pop())


def special_instants(ghi, file):
    for at in AT:
        with Server(ghi, PORT, "--inputs", file, "--at", at):
            connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
            for path in DOCUMENTS + OTHERS:
                body = compare(connection, path, f"{path} at {at}")
                if body:
                    head = get(connection, path, "gzip", "HEAD")[1]
                    told = head["Content-Length"]
                    assert told == str(len(body)), f"{path} at {at}: HEAD says {told} instead of {len(body)} bytes"
                if body and path in DOCUMENTS:
                    stamp = STAMP.search(gzip.decompress(body))[1].decode()
                    assert stamp.rstrip("Z").startswith(at.rstrip("Z")), f"{path} at {at} says {stamp}"
            _, headers, body = get(connection, "/metrics", "gzip")
            assert headers["Content-Encoding"] == "gzip", "/metrics is not compressed"
            lines = decoded(body, "/metrics").splitlines()
            assert any(line.startswith(b"ghi_forecast_avg_cost_usd ") for line in lines), "/metrics ends early"


def sizes(ghi):
    """Checks the sizes of responses for the built-in network, including heads."""
    with Server(ghi, PORT) as running:
        for path, most in ON_THE_WIRE.items():
            client = running.connect()
            client.sendall(server.request(path, "Accept-Encoding: gzip", "Connection: close"))
            size = 0
            while part := client.recv(65536):
                size += len(part)
            assert size < most, f"{path} takes {size:,} bytes, more than {most:,}"
            print(f"{path} takes {size:,} bytes, of at most {most:,}")


def main():
    ghi = server.arguments(__doc__).ghi
    with tempfile.TemporaryDirectory() as folder:
        file = inputs(folder, 60)
        answers = Path(folder) / "answers"
        answers.mkdir()
        with Server(ghi, PORT, "--inputs", file):
            connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
            long_enough = instants(connection, answers)
            other_readers(answers, long_enough)
        special_instants(ghi, file)
    sizes(ghi)
    print(f"{', '.join(long_enough)} read at {INSTANTS:,} instants by Python, gzip, Node and curl")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.cmd[0]} cannot read a response")
    except (AssertionError, zlib.error, OSError) as error:
        sys.exit(str(error))
