"""Keeps schemathesis from sending two dates that are each valid and yet are no range.

OpenAPI cannot say that `from` must not be after `to`, nor how far apart they may be. Such requests are
refused with 400, as tests/api/ranges.rs has it; all others must be answered as the description says.
"""

from datetime import date, datetime, timezone

import schemathesis

LONGEST_RANGE = 3660


def parsed(text):
    try:
        return date.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None


@schemathesis.hook
def filter_case(context, case):
    query = case.query or {}
    first = parsed(query.get("from"))
    # Without `to`, a range ends today.
    last = parsed(query["to"]) if "to" in query else datetime.now(timezone.utc).date()
    return not first or not last or 0 <= (last - first).days < LONGEST_RANGE
