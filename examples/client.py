import requests

url = "http://127.0.0.1:8000/v1/ghi/history?region_id=global"
answer = requests.get(url, timeout=5)
answer.raise_for_status()
for point in answer.json()["points"]:
    print(point["date"], f"{point['avg_cost_usd']:.2f}")
