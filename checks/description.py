#!/usr/bin/env python3
"""The description of the API is valid, and the server does what it says, whatever it is sent.

    python3 -m venv target/venv
    target/venv/bin/pip install -r checks/requirements.txt
    target/venv/bin/python checks/description.py

Needs a release build.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
TOOLS = Path(sys.executable).parent
ADDRESS = "127.0.0.1:18330"


def validate(document):
    subprocess.run([TOOLS / "openapi-spec-validator", document], check=True)


def main():
    validate(ROOT / "openapi.json")
    with tempfile.NamedTemporaryFile(suffix=".json") as version_3_0:
        command = [TARGET / "release/ghi", "openapi", "--oas", "3.0"]
        subprocess.run(command, check=True, stdout=version_3_0)
        validate(version_3_0.name)
    server = subprocess.Popen(
        [TARGET / "release/ghi", "--listen", ADDRESS], stderr=subprocess.PIPE, text=True
    )
    try:
        if "listens" not in (greeting := server.stderr.readline()):
            sys.exit(greeting)
        fuzz = [TOOLS / "schemathesis", "run", f"http://{ADDRESS}/openapi.json"]
        fuzz += ["--checks", "all", "--mode", "all", "--max-examples", "200"]
        # The same requests in each run: what fails, fails again.
        fuzz += ["--generation-deterministic"]
        hooks = {"SCHEMATHESIS_HOOKS": "unsent", "PYTHONPATH": str(ROOT / "checks")}
        subprocess.run(fuzz, check=True, cwd=TARGET, env={**os.environ, **hooks})
        assert server.poll() is None, "the server has ended"
    finally:
        server.kill()


if __name__ == "__main__":
    main()
