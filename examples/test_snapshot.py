import requests


def test_snapshot(ghi_sandbox):
    snapshot = requests.get(ghi_sandbox.url + "/v1/ghi/snapshot", timeout=5).json()
    assert snapshot["global_avg_cost_usd"] > 0
