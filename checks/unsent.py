"""Keeps schemathesis from sending what is refused though the description cannot say why.

Two dates may each be valid and yet be no range: OpenAPI cannot say that `from` must not be after `to`, nor how
far apart they may be, nor that `range` comes without both. Such requests are refused with 400, as tests/api/ranges.rs
and pages.rs have it. And a preference may
ask for a failure, which then comes. All other requests must be answered as the description says.
"""

import re
from datetime import date, datetime, timezone

import schemathesis

LONGEST_RANGE = 3660
# As the server reads it: one preference of a list, in any case.
ASKS_FOR_FAILURE = re.compile(r"(^|,)\s*(code|break)\s*=", re.IGNORECASE)


def parsed(text):
    try:
        return date.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None


def is_range(query):
    if "range" in query and ("from" in query or "to" in query):
        return False
    first = parsed(query.get("from"))
    # Without `to`, a range ends today.
    last = parsed(query["to"]) if "to" in query else datetime.now(timezone.utc).date()
    return not first or not last or 0 <= (last - first).days < LONGEST_RANGE


def may_be_sent(case):
    preferences = (case.headers or {}).get("Prefer", "")
    return is_range(case.query or {}) and not ASKS_FOR_FAILURE.search(str(preferences))


@schemathesis.hook
def filter_case(context, case):
    return may_be_sent(case)


# Examples of the description do not pass the filter.
@schemathesis.hook
def before_add_examples(context, examples):
    examples[:] = filter(may_be_sent, examples)
