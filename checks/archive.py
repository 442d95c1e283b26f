#!/usr/bin/env python3
"""Unpacks the archive that deploy/archive.py has built in target/dist, and uses it as a downloader would.

    target/venv/bin/python checks/archive.py
"""

import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from server import ROOT, TARGET

DIST = TARGET / "dist"


def output(*command, **more):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, **more).stdout


def main():
    [packed], [bill] = DIST.glob("*.tar.gz"), DIST.glob("*.cdx.json")
    output("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=DIST)
    with tempfile.TemporaryDirectory() as folder:
        output("tar", "--extract", "--gzip", "--file", packed, cwd=folder)
        root = Path(folder) / packed.name.removesuffix(".tar.gz")
        ghi = root / "bin/ghi"
        assert "static" in output("file", "--brief", ghi), f"{ghi} needs system libraries"
        version = output(ghi, "--version").split()[1]
        assert packed.name.startswith(f"ghi-{version}-"), packed.name
        assert "worldwide" in output(ghi, "show", "snapshot", "--at", "2026-11-15").lower()
        assert (root / "share/bash-completion/completions/ghi").read_text() == output(ghi, "completions", "bash")
        pages = list((root / "share/man/man1").glob("*.1"))
        for page in pages:
            assert page.read_text() == output(ghi, "man", *page.stem.split("-")[1:]), page
        commands = {page.stem.split("-")[1] for page in pages if "-" in page.stem}
        assert {"serve", "show", "check", "health"} <= commands, commands
        notices = (root / "share/doc/ghi/THIRD-PARTY").read_text()

    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    locked = {(package["name"], package["version"]) for package in lock}
    components = json.loads(bill.read_text())["components"]
    listed = {(each["name"], each["version"]) for each in components}
    assert listed <= locked, listed - locked
    assert {"hyper", "tokio", "rustls", "ghi-server", "scalar_api_reference"} <= {name for name, _ in listed}
    assert not {"proptest", "jsonschema", "criterion"} & {name for name, _ in listed}, "tests must not be shipped"
    for name, number in listed:
        assert name.startswith("ghi-") or f"{name} {number}: " in notices, f"no licence notice for {name}"
    print(f"{packed.name}: {len(pages)} manual pages; {len(listed)} packages in {bill.name}")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(str(error))
