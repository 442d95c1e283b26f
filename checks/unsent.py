"""Keeps schemathesis from sending requests that are rejected for reasons OpenAPI cannot express.

Two valid dates may not form a valid range: OpenAPI cannot express that `from` must not be after `to`, nor `since`
after `date`, how far apart they may be, that `range` excludes both, or that a range of `forecast_days` must be a range. Such requests get 400, as tested in
tests/api/ranges.rs, explain.rs and pages.rs. A preference may also request a failure. All other requests must match the OpenAPI document.
"""

import re
from datetime import date, datetime, timezone

import schemathesis

LONGEST_RANGE = 11_000
HORIZONS = re.compile(r"([1-9]\d{0,2})(?:-([1-9]\d?))?")
# As the server reads it: one preference in a list, case-insensitive.
ASKS_FOR_FAILURE = re.compile(r"(^|,)\s*(code|break)\s*=", re.IGNORECASE)


def parsed(text):
    try:
        return date.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None


def is_range(query):
    ends = "from" in query or "to" in query
    if "range" in query and ends or "date" in query and ("range" in query or ends):
        return False
    today = datetime.now(timezone.utc).date()
    since, day = parsed(query.get("since")), parsed(query.get("date", today.isoformat()))
    if since and day and since > day:
        return False
    first = parsed(query.get("from"))
    # Without `to`, a range ends today.
    last = parsed(query["to"]) if "to" in query else today
    return not first or not last or 0 <= (last - first).days < LONGEST_RANGE


def is_horizon(query):
    """Whether `forecast_days` is within bounds, and a single day is chosen for a range of horizons."""
    match = HORIZONS.fullmatch(str(query.get("forecast_days", "1")))
    if not match:
        return True
    first, last = match.groups()
    if not last:
        return int(first) <= 365
    return int(first) <= int(last) <= 90 and query.get("from") == query.get("to")


def may_be_sent(case):
    preferences = (case.headers or {}).get("Prefer", "")
    query = case.query or {}
    return is_range(query) and is_horizon(query) and not ASKS_FOR_FAILURE.search(str(preferences))


@schemathesis.hook
def filter_case(context, case):
    return may_be_sent(case)


# The filter does not apply to examples in the document.
@schemathesis.hook
def before_add_examples(context, examples):
    examples[:] = filter(may_be_sent, examples)
