"""A client of the API, as an integrator would write it."""

import time

import requests


def week(url, attempts=20):
    """Returns the worldwide average of the last seven days, by date. Tries again after a failure."""
    for _ in range(attempts):
        try:
            answer = requests.get(f"{url}/v1/ghi/history?region_id=global", timeout=5)
            answer.raise_for_status()
            return {point["date"]: point["avg_cost_usd"] for point in answer.json()["points"]}
        except (requests.RequestException, ValueError):
            time.sleep(0.01)
    raise TimeoutError(f"no answer after {attempts} attempts")
