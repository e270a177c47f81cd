"""The known problems that only one of two compared windows has: what no difference of means may tell.

A problem that begins in the middle of a window leaves few independent samples there, so that its counters
stay undecided; it was found nevertheless.
"""

from __future__ import annotations

from collections.abc import Sequence

from resources.foreign_text import shown
from resources.units import format_count
from sessions.findings import Finding
from sessions.times import TimeRange

_NAMED = 3
_LONGEST = 80


def problem_note(findings: Sequence[Finding], a: TimeRange, b: TimeRange) -> str:
    """Return which problems only B has and which only A has, the first ``findings`` first; empty without
    any. What follows from another problem is left out.
    """
    causes = [one for one in findings if one.consequence_of is None]
    in_a = [one for one in causes if _is_in(one, a)]
    in_b = [one for one in causes if _is_in(one, b)]
    parts = (
        ("Problems found in B only", [one for one in in_b if one not in in_a]),
        ("in A only", [one for one in in_a if one not in in_b]),
    )
    said = "; ".join(f"{where}: {_named(some)}" for where, some in parts if some)
    return f"{said[:1].upper()}{said[1:]}." if said else ""


def _is_in(finding: Finding, window: TimeRange) -> bool:
    return any(one.intersect(window) is not None for one in finding.windows)


def _named(findings: Sequence[Finding]) -> str:
    names = [f"{one.title} ({shown(one.entity_name, _LONGEST)})" for one in findings[:_NAMED]]
    left = len(findings) - len(names)
    return ", ".join([*names, f"{format_count(left)} more"] if left else names)
