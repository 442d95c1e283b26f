#!/usr/bin/env python3
"""Calls every tool of `ghi mcp` with the official MCP client, and compares the results with the API.

    python3 -m venv target/venv
    target/venv/bin/pip install -r checks/requirements.txt
    target/venv/bin/python checks/assistant.py [--ghi BINARY]
"""

import asyncio
import csv
import io
import json
import socket
import time
import urllib.request

from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from server import Server, arguments

AT = "2026-11-15T12:00:00Z"

# A call of each tool, and the path that returns the same over HTTP.
CALLS = [
    ("snapshot", {}, "/v1/ghi/snapshot"),
    ("history", {}, "/v1/ghi/history"),
    ("history", {"region_id": "us"}, "/v1/ghi/history?region_id=us"),
    ("region", {"id": "eu"}, "/v1/ghi/regions/eu"),
    ("regions", {}, "/v1/ghi/regions"),
    ("network", {}, "/v1/ghi/network"),
    ("forecast", {}, "/v1/ghi/forecast"),
    ("forecast", {"forecast_days": 30}, "/v1/ghi/forecast?forecast_days=30"),
    ("metadata", {}, "/v1/ghi/metadata"),
    ("explain", {}, "/export/explain.json"),
    ("explain", {"region_id": "cn", "date": "2026-01-31"}, "/export/explain.json?region_id=cn&date=2026-01-31"),
    ("explain", {"since": "2026-01-31"}, "/export/explain.json?since=2026-01-31"),
    ("cost_curve", {}, "/export/cost-curve.csv"),
    ("cost_curve", {"date": "2026-01-31", "price": 50000}, "/export/cost-curve.csv?date=2026-01-31"),
    ("past_forecasts", {"forecast_days": 30, "from": "2026-01-31", "to": "2026-02-02"},
     "/export/forecast.csv?forecast_days=30&from=2026-01-31&to=2026-02-02"),
    ("forecast_score", {}, "/export/forecast-score.csv"),
    ("economics", {"range": "30d", "price": 70000}, "/export/economics.csv?range=30d&price=70000"),
]


def parsed(target, text):
    """Parses a document. The rows of a table are its lines, with numbers where they are numbers and null for empty cells."""
    if not target.split("?")[0].endswith(".csv"):
        return json.loads(text)

    def cell(value):
        try:
            return float(value)
        except ValueError:
            return value or None

    return {"rows": [{k: cell(v) for k, v in row.items()} for row in csv.DictReader(io.StringIO(text))]}


def fetched(base, target):
    with urllib.request.urlopen(base + target) as response:
        return parsed(target, response.read().decode())


# Invalid calls, and the start of the tool's error: of the built-in engine and, if it differs, of a deployment.
MISTAKES = [
    (
        "forecast",
        {"forecast_days": 1000},
        ("forecast_days must be a whole number from 1 to 365", "{base}/v1/ghi/forecast?forecast_days=1000 returned 400 invalid_parameter: "),
    ),
    ("forecast", {"horizon": 7}, "forecast has no argument horizon; it takes forecast_days"),
    (
        "region",
        {"id": "atlantis"},
        ("No region has this id. Use an id listed at /v1/ghi/regions: us, eu, cn.", "{base}/v1/ghi/regions/atlantis returned 404 unknown_region: "),
    ),
    (
        "explain",
        {"date": "2026-02-30"},
        ("date must be a valid date", "{base}/export/explain.json?date=2026-02-30 returned 400 invalid_parameter: "),
    ),
]


async def use(ghi, flags, check):
    """Starts `ghi mcp` with these flags and checks it with a client."""
    server = StdioServerParameters(command=str(ghi), args=["mcp", *flags])
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        about = await session.initialize()
        assert about.server_info.name == "ghi" and "This is a sandbox" in about.instructions, about
        await check(session)


def checker(base):
    async def check(session):
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert set(tools) == {name for name, _, _ in CALLS}, list(tools)
        for name, given, target in CALLS:
            # The session validates the document against the tool's schema.
            result = await session.call_tool(name, given)
            assert not result.is_error, result
            expected = fetched(base, target)
            if name == "cost_curve":
                price = f"&price={given['price']}" if "price" in given else ""
                date = expected["rows"][0]["date"]
                (day,) = fetched(base, f"/export/economics.csv?date={date}{price}")["rows"]
                expected |= {field: day[field] for field in ("price_usd", "hashrate_below_price_pct")}
            assert result.structured_content == expected, f"{name} {given}"
            assert json.loads(result.content[0].text) == expected, f"{name} {given}"
        for name, given, said in MISTAKES:
            result = await session.call_tool(name, given)
            starts = said if isinstance(said, str) else tuple(text.format(base=base) for text in said)
            assert result.is_error and result.content[0].text.startswith(starts), result
        try:
            unknown = await session.call_tool("mine", {})
        except MCPError as error:
            assert "unknown tool 'mine'" in str(error), error
        else:
            raise AssertionError(unknown)

    return check


async def check_silent(session):
    """Ten calls to a deployment that never responds: each ends, and none delays the others."""
    began = time.monotonic()
    waiting = [asyncio.create_task(session.call_tool("snapshot", {})) for _ in range(10)]
    await asyncio.sleep(0)
    await session.list_tools()
    took = time.monotonic() - began
    assert took < 5 and not any(call.done() for call in waiting), took
    results = await asyncio.gather(*waiting)
    took = time.monotonic() - began
    assert took < 60, took
    assert all(result.is_error for result in results), results
    print(f"a silent deployment: {results[0].content[0].text} ({took:.0f} s)")


def main():
    ghi = arguments(__doc__).ghi
    with Server(ghi, 0, "--at", AT) as server:
        base = f"http://127.0.0.1:{server.port}"
        asyncio.run(use(ghi, ["--at", AT], checker(base)))
        asyncio.run(use(ghi, ["--url", base], checker(base)))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        asyncio.run(use(ghi, ["--url", url], check_silent))
    print(f"{len(CALLS)} calls to the engine and to a deployment match the API")


if __name__ == "__main__":
    main()
