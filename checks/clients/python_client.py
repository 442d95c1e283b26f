"""Reads the API with the package that openapi-python-client generated. An argument: the base URL."""

import json
import sys

from ghi_client import Client
from ghi_client.api.index import (
    get_forecast,
    get_history,
    get_indicator,
    get_metadata,
    get_network,
    get_region_detail,
    get_snapshot,
    list_regions,
)
from ghi_client.models import Problem
from ghi_client.types import Unset

client = Client(base_url=sys.argv[1], raise_on_unexpected_status=True)


def read(operation, *path, **parameters):
    answer = operation.sync_detailed(*path, client=client, **parameters)
    assert answer.status_code == 200, answer
    return answer.parsed


def read_problem(operation, *path, **parameters):
    answer = operation.sync_detailed(*path, client=client, **parameters)
    assert isinstance(answer.parsed, Problem) and answer.parsed.status == answer.status_code, answer
    return answer.parsed


metadata = read(get_metadata)
regions = read(list_regions)
region_id = regions.regions[0].id
snapshot = read(get_snapshot)
reduced_snapshot = read(get_snapshot, prefer="return=minimal")
history = read(get_history)
unknown_region = read_problem(get_region_detail, "atlantis")

documents = {
    "metadata": metadata,
    "regions": regions,
    "region_detail": read(get_region_detail, region_id),
    "snapshot": snapshot,
    "reduced_snapshot": reduced_snapshot,
    "history": history,
    "region_history": read(get_history, region_id=region_id),
    "network": read(get_network),
    "forecast": read(get_forecast, forecast_days=30),
    "indicator": read(get_indicator),
    "unknown_region": unknown_region,
    "invalid_parameter": read_problem(get_forecast, forecast_days=366),
}
conclusions = {
    "global_avg_cost_usd": snapshot.global_avg_cost_usd,
    "regions_of_snapshot": [region.avg_cost_usd for region in snapshot.regions],
    "reduced_has_regions": not (
        isinstance(reduced_snapshot.regions, Unset) and isinstance(reduced_snapshot.region_count, Unset)
    ),
    "points": [point.date.isoformat() for point in history.points],
    "is_next_release": (metadata.api_current, metadata.environment, history.version)
    == ("1.2", "staging", "1.2"),
    "is_region_retired": unknown_region.code == "region_retired",
}
print(
    json.dumps(
        {
            "documents": {name: document.to_dict() for name, document in documents.items()},
            "conclusions": conclusions,
        }
    )
)
