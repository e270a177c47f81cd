"""What can go wrong with a reply of the test vCenter; kinds and options are those of server/README.md."""

from __future__ import annotations

QUERY_FAULTS: list[tuple[str, dict[str, object]]] = [
    ("expire", {}),
    ("not_authenticated", {"count": 2}),
    ("disconnect", {"method": "QueryPerf", "count": 3}),
    ("lost", {"method": "QueryPerf", "count": 2}),
    ("half", {"method": "QueryPerf", "count": 3}),
    ("broken_xml", {"method": "QueryPerf", "count": 1}),
    ("html", {"method": "QueryPerf", "count": 2}),
    ("empty", {"method": "QueryPerf", "count": 1}),
    ("status", {"method": "QueryPerf", "count": 2}),
    ("element_count", {"method": "QueryPerf", "count": 2}),
    ("slow", {"method": "QueryPerf", "seconds": 2, "count": 1}),
]
"""Faults of QueryPerf and of the login, each with its options."""
