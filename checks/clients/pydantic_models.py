"""Reads the API into the models that datamodel-code-generator made. An argument: the base URL."""

import json
import sys

import httpx
from ghi_models import (
    Forecast,
    History,
    Indicator,
    Metadata,
    Network,
    Problem,
    RegionDetail,
    Regions,
    Snapshot,
)

client = httpx.Client(base_url=f"{sys.argv[1]}/v1/ghi")


def read(model, path, status=200, **headers):
    answer = client.get(path, headers=headers)
    assert answer.status_code == status, answer
    return model.model_validate_json(answer.content)


metadata = read(Metadata, "/metadata")
regions = read(Regions, "/regions")
region_id = regions.regions[0].id
snapshot = read(Snapshot, "/snapshot")
reduced_snapshot = read(Snapshot, "/snapshot", prefer="return=minimal")
history = read(History, "/history")
unknown_region = read(Problem, "/regions/atlantis", 404)

documents = {
    "metadata": metadata,
    "regions": regions,
    "region_detail": read(RegionDetail, f"/regions/{region_id}"),
    "snapshot": snapshot,
    "reduced_snapshot": reduced_snapshot,
    "history": history,
    "region_history": read(History, f"/history?region_id={region_id}"),
    "network": read(Network, "/network"),
    "forecast": read(Forecast, "/forecast?forecast_days=30"),
    "indicator": read(Indicator, "/indicator"),
    "unknown_region": unknown_region,
    "invalid_parameter": read(Problem, "/forecast?forecast_days=366", 400),
}
conclusions = {
    "global_avg_cost_usd": snapshot.global_avg_cost_usd,
    "regions_of_snapshot": [region.avg_cost_usd for region in snapshot.regions],
    "reduced_has_regions": not (reduced_snapshot.regions is None and reduced_snapshot.region_count is None),
    "points": [point.date.isoformat() for point in history.points],
    "is_next_release": (metadata.api_current, metadata.environment, history.version)
    == ("1.2", "staging", "1.2"),
    "is_region_retired": unknown_region.code == "region_retired",
}
print(
    json.dumps(
        {
            "documents": {
                name: document.model_dump(mode="json", exclude_unset=True)
                for name, document in documents.items()
            },
            "conclusions": conclusions,
        }
    )
)
