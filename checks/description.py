#!/usr/bin/env python3
"""Checks that the OpenAPI document is valid, and that the server matches it for any request.

    python3 -m venv target/venv
    target/venv/bin/pip install -r checks/requirements.txt
    target/venv/bin/python checks/description.py [--short] [--ghi BINARY]

With --short, it sends a quarter of the requests.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from server import ROOT, TARGET, Server, arguments

TOOLS = Path(sys.executable).parent


def validate(document):
    subprocess.run([TOOLS / "openapi-spec-validator", document], check=True)


def main():
    given = arguments(__doc__, short=False)
    ghi = given.ghi
    validate(ROOT / "openapi.json")
    with tempfile.NamedTemporaryFile(suffix=".json") as version_3_0:
        subprocess.run([ghi, "openapi", "--oas", "3.0"], check=True, stdout=version_3_0)
        validate(version_3_0.name)
    with Server(ghi, 0) as running:
        fuzz = [TOOLS / "schemathesis", "run", f"http://127.0.0.1:{running.port}/openapi.json"]
        fuzz += ["--checks", "all", "--mode", "all", "--max-examples", "50" if given.short else "200"]
        # The same requests in each run, so that failures are reproducible.
        fuzz += ["--generation-deterministic"]
        hooks = {"SCHEMATHESIS_HOOKS": "unsent", "PYTHONPATH": str(ROOT / "checks")}
        subprocess.run(fuzz, check=True, cwd=TARGET, env={**os.environ, **hooks})
        running.assert_alive()


if __name__ == "__main__":
    main()
