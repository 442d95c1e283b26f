#!/usr/bin/env python3
"""Checks that clients generated from the OpenAPI document work with this release and with the next one.

    python3 -m venv target/venv
    target/venv/bin/pip install -r checks/requirements.txt
    npm --prefix checks/clients ci
    target/venv/bin/python checks/generated_clients.py

Each client in `checks/clients` uses generated code to read every JSON document of a real server, both
forms of the snapshot, and two problems; then the same from `next_release.py`. The values it has read are compared
with the JSON. Generated code goes to `target/clients`.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import next_release
from server import ROOT, TARGET, Server, arguments

CLIENTS = ROOT / "checks/clients"
OUT = TARGET / "clients"
TOOLS = Path(sys.executable).parent
NODE_TOOLS = CLIENTS / "node_modules/.bin"
DESCRIPTION = OUT / "openapi.json"
DESCRIPTION_3_0 = OUT / "openapi-3.0.json"

# The requests of each client: path and preference.
REQUESTS = {
    "metadata": ("/metadata", None),
    "regions": ("/regions", None),
    "region_detail": ("/regions/us", None),
    "snapshot": ("/snapshot", None),
    "reduced_snapshot": ("/snapshot", "return=minimal"),
    "history": ("/history", None),
    "region_history": ("/history?region_id=us", None),
    "network": ("/network", None),
    "forecast": ("/forecast?forecast_days=30", None),
    "indicator": ("/indicator", None),
    "unknown_region": ("/regions/atlantis", None),
    "invalid_parameter": ("/forecast?forecast_days=366", None),
}


def run(command):
    """Runs a command whose output matters only when it fails."""
    command = list(map(str, command))
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{Path(command[0]).name} failed:\n{done.stdout}")


def generate_schema():
    folder = OUT / "openapi_fetch"
    run([NODE_TOOLS / "openapi-typescript", DESCRIPTION, "--output", folder / "schema.d.ts"])


def generate_python_client():
    generate = [TOOLS / "openapi-python-client", "generate", "--path", DESCRIPTION, "--fail-on-warning"]
    generate += ["--config", CLIENTS / "openapi-python-client.yml"]
    run([*generate, "--meta", "none", "--output-path", OUT / "python/ghi_client"])


def generate_models():
    generate = [TOOLS / "datamodel-codegen", "--input", DESCRIPTION, "--input-file-type", "openapi"]
    generate += ["--output-model-type", "pydantic_v2.BaseModel", "--formatters", "builtin"]
    run([*generate, "--output", OUT / "python/ghi_models.py"])


def generate_typescript_fetch():
    # Uses the 3.0 document. Node needs file extensions in imports.
    generate = [TOOLS / "openapi-generator-cli", "generate", "--input-spec", DESCRIPTION_3_0]
    generate += ["--generator-name", "typescript-fetch", "--additional-properties", "importFileExtension=.js"]
    run([*generate, "--output", OUT / "typescript_fetch/client"])


def generate(ghi):
    """Generates all clients, and compiles those that need it."""
    shutil.rmtree(OUT, ignore_errors=True)
    (OUT / "python").mkdir(parents=True)
    with DESCRIPTION.open("w") as file:
        subprocess.run([ghi, "openapi"], stdout=file, check=True)
    with DESCRIPTION_3_0.open("w") as file:
        subprocess.run([ghi, "openapi", "--oas", "3.0"], stdout=file, check=True)
    for name in ["openapi_fetch", "typescript_fetch"]:
        (OUT / name).mkdir()
        shutil.copy(CLIENTS / f"{name}.ts", OUT / name / "main.ts")
    for name in ["package.json", "tsconfig.json"]:
        shutil.copy(CLIENTS / name, OUT)
    (OUT / "node_modules").symlink_to(CLIENTS / "node_modules")

    steps = [generate_typescript_fetch, generate_schema, generate_python_client, generate_models]
    with ThreadPoolExecutor(max_workers=2) as pool:
        for done in [pool.submit(step) for step in steps]:
            done.result()
    run([NODE_TOOLS / "tsc", "--project", OUT])


def comparable(document):
    """Returns the document without the additions of the next release, with timestamps in one format."""
    document = next_release.without_new_fields(document)
    if "timestamp_utc" in document:
        document["timestamp_utc"] = datetime.fromisoformat(document["timestamp_utc"])
    return document


def check(name, command, base, expected, is_next_release):
    answer = subprocess.run(
        [*map(str, command), base],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(OUT / "python")},
    )
    if answer.returncode:
        sys.exit(f"{name} failed:\n{answer.stdout}{answer.stderr}")
    read = json.loads(answer.stdout)
    assert read["documents"].keys() == expected.keys(), name
    for document, content in expected.items():
        found, wanted = comparable(read["documents"][document]), comparable(content)
        assert found == wanted, f"{name} reads {document} as {found}, expected {wanted}"
    wanted = {
        "global_avg_cost_usd": expected["snapshot"]["global_avg_cost_usd"],
        "regions_of_snapshot": [region["avg_cost_usd"] for region in expected["snapshot"]["regions"]],
        "reduced_has_regions": False,
        "points": [point["date"] for point in expected["history"]["points"]],
        "is_next_release": is_next_release,
        "is_region_retired": is_next_release,
    }
    assert read["conclusions"] == wanted, f"{name} concludes {read['conclusions']}, expected {wanted}"
    version, code = read["documents"]["metadata"]["version"], read["documents"]["unknown_region"]["code"]
    average, points = wanted["global_avg_cost_usd"], len(wanted["points"])
    print(f"{name} with {version}: {len(expected)} documents, {average} USD, {points} points, {code}")


def main():
    ghi = arguments(__doc__).ghi
    started = time.monotonic()
    generate(ghi)
    print(f"generated and compiled in {time.monotonic() - started:.0f} s")
    commands = {
        "openapi-fetch": ["node", OUT / "built/openapi_fetch/main.js"],
        "openapi-python-client": [sys.executable, CLIENTS / "python_client.py"],
        "datamodel-code-generator": [sys.executable, CLIENTS / "pydantic_models.py"],
        "typescript-fetch": ["node", OUT / "built/typescript_fetch/main.js"],
    }
    with Server(ghi, 0, "--at", "2026-11-15T12:00:00Z") as server:
        this_base = f"http://127.0.0.1:{server.port}"
        with next_release.NextRelease(this_base) as following:
            for base in [this_base, following.base]:
                expected = {
                    name: next_release.get(f"{base}/v1/ghi{path}", prefer)[2]
                    for name, (path, prefer) in REQUESTS.items()
                }
                is_next_release = base == following.base
                for name, command in commands.items():
                    check(name, command, base, expected, is_next_release)
        server.assert_alive()


if __name__ == "__main__":
    main()
