"""The sentences that say how far a verdict reaches: the same in the window and on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from resources.units import format_count, format_duration
from sessions.times import iso
from sessions.verdicts import CheckReach, EntityReach, SeverityCounts, Verdict

TimeText = Callable[[int], str]
"""Formats a time (ms since 1970) for the reader: with the zone and the precision of the place it is shown."""

_SOON_S = 1.0
_NAMED = 3


def verdict_title(verdict: Verdict) -> str:
    """Return the verdict in a few words: "2 critical, 1 warning", "No problem found", "Not judged yet"."""
    counted = counts_text(verdict.counts)
    if verdict.counts.troubles:
        return counted
    if not verdict.is_judged:
        return verdict.state.capitalize()
    return "No problem found" + (f"; {counted}" if counted else "")


def counts_text(counts: SeverityCounts) -> str:
    """Return the numbers of findings: "2 critical, 1 warning, 3 to know of"; empty without any."""
    parts = [
        (counts.critical, "critical", "critical"),
        (counts.warning, "warning", "warnings"),
        (counts.info, "to know of", "to know of"),
        (counts.following, "more follows from these", "more follow from these"),
    ]
    return ", ".join(
        f"{format_count(number)} {one if number == 1 else many}" for number, one, many in parts if number
    )


def reach_text(verdict: Verdict, at: TimeText, newest: int | None = None) -> str:
    """Return up to when was judged: "Judged to 02:43:20, 25 s behind", or why nothing was.

    ``newest`` is the time (ms) of the session's last sample, None where that is unknown.
    """
    judged_to = verdict.judged_to
    if not verdict.is_judged or judged_to is None:
        return verdict.state.capitalize() + (f": {verdict.reason}" if verdict.reason else "")
    behind = 0.0 if newest is None else (newest - judged_to) / 1000
    late = f", {format_duration(behind)} behind" if behind >= _SOON_S else ""
    return f"Judged to {at(judged_to)}{late}"


def covered_text(verdict: Verdict) -> str:
    """Return what was judged: "18 of 20 problems in 3 sources"; empty where nothing was."""
    if not verdict.is_judged:
        return ""
    checks, sources = len(verdict.judged_checks), len(verdict.judged_sources)
    of = f" of {len(verdict.sources)}" if sources < len(verdict.sources) else ""
    named = verdict.judged_sources[0].name if len(verdict.sources) == 1 else ""
    where = named or f"{format_count(sources)}{of} sources"
    return f"{format_count(checks)} of {format_count(len(verdict.applying_checks))} problems in {where}"


def limits_of(verdict: Verdict) -> list[str]:
    """Return what was not judged, a sentence each: problems with the counters that are missing, sources."""
    by_reason: dict[str, list[CheckReach]] = {}
    for check in verdict.unjudged_checks if verdict.is_judged else ():
        by_reason.setdefault(check.reason, []).append(check)
    lines = [
        f"Not judged: {_titles(checks)}{': ' + reason if reason else ''}."
        for reason, checks in by_reason.items()
    ]
    return [*lines, *source_limits(verdict)]


def source_limits(verdict: Verdict) -> list[str]:
    """Return which sources were not judged, or not to the end, and why, a sentence each."""
    if len(verdict.sources) < 2 and not verdict.is_judged:
        return []  # the verdict's own reason says it
    return [
        f"{'Not judged' if one.judged is None else 'Judged in part'}: {one.name}: {one.reason}."
        for one in verdict.limited_sources
    ]


def verdict_sentence(verdict: Verdict, at: TimeText, newest: int | None = None) -> str:
    """Return the whole verdict as one text: up to when, of what, and what was not judged and why."""
    parts = [reach_text(verdict, at, newest) + "."]
    if covered := covered_text(verdict):
        parts.append(f"{covered}.")
    return " ".join([*parts, *limits_of(verdict)])


def entity_text(reach: EntityReach | None, verdict: Verdict, at: TimeText) -> str:
    """Return what was judged of one entity: "Judged to 02:43:20: 7 of 8 problems", or why nothing was."""
    if reach is not None:
        return (
            f"Judged to {at(reach.to)}: {format_count(reach.problems)} of {format_count(reach.of)} problems."
        )
    if verdict.is_judged:
        return "Not judged: it has no samples, or too few, of the counters that known problems need."
    return reach_text(verdict, at) + "."


def unjudged_samples_text(samples: int) -> str:
    """Return that later samples were not judged; empty if there are none."""
    if not samples:
        return ""
    were = "sample after that was" if samples == 1 else "samples after that were"
    return f"{format_count(samples)} {were} not judged."


def verdict_json(verdict: Verdict) -> dict[str, object]:
    """Return how far a diagnosis reaches: state, time, and what was judged of each source and problem."""
    judged_to, counts = verdict.judged_to, verdict.counts
    return {
        "state": verdict.state,
        "judged_to": None if judged_to is None else iso(judged_to),
        "samples": verdict.samples,
        "reason": verdict.reason,
        "critical": counts.critical,
        "warning": counts.warning,
        "info": counts.info,
        "following": counts.following,
        "sources": [
            {
                "name": one.name,
                "judged": None if one.judged is None else [iso(one.judged.start), iso(one.judged.end)],
                "samples": one.samples,
                "reason": one.reason,
            }
            for one in verdict.sources
        ],
        "problems": [
            {
                "problem": one.problem,
                "entities": one.entities,
                "judged": one.judged,
                "reason": one.reason,
            }
            for one in verdict.checks
        ],
    }


def _titles(checks: Sequence[CheckReach]) -> str:
    named = ", ".join(check.title for check in checks[:_NAMED])
    more = len(checks) - _NAMED
    return named + (f" and {more} more" if more > 0 else "")
