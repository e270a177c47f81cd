"""What came of all checks in a few lines: one for each area, with what was not judged and who would tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from resources.units import format_count
from sessions.problem_areas import PROBLEM_AREAS, area_of
from sessions.verdict_wording import check_because, coarse_texts
from sessions.verdicts import CheckReach, Verdict

_OTHERS = "Others"
"""The heading of what is in no area."""
_WHO = re.compile(
    r"(?:.*; )?(?P<who>[^;]*?) (?P<does>has|have|records|does|asks vCenter for)(?: it| them)?\.?"
)
"""The end of a reason that names who would tell: "no source has %LAT_M; esxtop on the hosts has it"."""
_LACK = ("no source ", "No source ")


def check_lines(verdict: Verdict) -> list[str]:
    """Return the checks of a verdict in a few lines: those over a limit by themselves, then the areas.

    Empty where nothing was judged: then the verdict's own reason holds for all of them.
    """
    if not verdict.is_judged:
        return []
    open_ = [one for one in verdict.checks if one.verdict == "suspected" or one.is_unjudged_past_limit]
    told = {one.problem for one in open_}
    rest = [one for one in verdict.checks if one.problem not in told]
    return [
        *(f"{one.problem}: {one.verdict}: {check_because(one)}." for one in open_),
        *(line for area, checks in _by_area(rest) if (line := _area_line(area, checks))),
        *coarse_texts(verdict),
        *_not_looked_for(rest),
    ]


def _by_area(checks: Sequence[CheckReach]) -> Iterator[tuple[str, list[CheckReach]]]:
    for area in (*PROBLEM_AREAS, None):
        title = _OTHERS if area is None else area.name[:1].upper() + area.name[1:]
        yield title, [one for one in checks if area_of(one.problem) is area]


def _area_line(area: str, checks: Sequence[CheckReach]) -> str:
    """The counts of an area's checks, and the names of those that were not judged; empty without any."""
    clear = [one for one in checks if one.verdict == "not found"]
    counts = [
        (sum(one.verdict == "problem" for one in checks), "found"),
        (len(clear), "not found"),
    ]
    parts = [", ".join(f"{format_count(number)} {what}" for number, what in counts if number)]
    if in_part := sum(one.is_partial for one in clear):
        parts[0] += f" (of {format_count(in_part)} only a part could be judged)"
    if unjudged := _unjudged_text([one for one in checks if one.verdict == "insufficient data"]):
        parts.append(f"not judged {unjudged}")
    text = "; ".join(part for part in parts if part)
    return f"{area}: {text}." if text else ""


def _unjudged_text(checks: Sequence[CheckReach]) -> str:
    """Checks by why they were not judged: "mem.latency, mem.limit (esxtop on the hosts would tell)"."""
    found: dict[str, list[str]] = {}
    for one in checks:
        found.setdefault(_short_reason(one.reason), []).append(one.problem)
    return ", ".join(f"{', '.join(names)}" + (f" ({why})" if why else "") for why, names in found.items())


def _short_reason(reason: str) -> str:
    """Who would show it, where the reason says that; else the reason itself."""
    last = reason.rpartition("; ")[2] if reason.startswith(_LACK) else ""
    found = _WHO.fullmatch(last)
    return f"{found['who']} would tell" if found else reason.removesuffix(".")


def _not_looked_for(checks: Sequence[CheckReach]) -> list[str]:
    """How many checks nothing here can fail or show, and which sources would show some of them."""
    absent = [one for one in checks if one.verdict == "not applicable"]
    if not absent:
        return []
    by: dict[str, int] = {}
    for one in absent:
        if one.shown_by:
            by[one.shown_by] = by.get(one.shown_by, 0) + 1
    shown = ", ".join(f"{who} would show {format_count(number)}" for who, number in by.items())
    only = sum(one.told_if_found for one in absent)
    parts = [shown, f"{format_count(only)} can only be found, never ruled out" if only else ""]
    why = "; ".join(part for part in parts if part)
    count = format_count(len(absent)) + (f" ({why})" if why else "")
    return [f"Not looked for, as nothing here tells of them: {count}."]
