"""A test that fails, so that its report has the log of the server."""

import pytest
import requests


def test_other(ghi_sandbox):
    requests.get(f"{ghi_sandbox.url}/v1/ghi/network", timeout=5)


def test_failing(ghi_sandbox):
    requests.get(f"{ghi_sandbox.url}/v1/ghi/regions", timeout=5)
    requests.get(f"{ghi_sandbox.at('2026-11-15').url}/v1/ghi/forecast", timeout=5)
    raise AssertionError("on purpose")


@pytest.mark.ghi("2026-11-15")
def test_positional(ghi_sandbox):
    pass
