"""The sentences that say how far a verdict reaches: the same in the window and on a terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from resources.foreign_text import shown
from resources.units import format_count, format_duration, format_measured
from sessions.problem_areas import PROBLEM_AREAS, area_of, listed
from sessions.times import iso
from sessions.verdicts import CheckNumber, CheckReach, EntityReach, SeverityCounts, Verdict

TimeText = Callable[[int], str]
"""Formats a time (ms since 1970) for the reader: with the zone and the precision of the place it is shown."""

_SOON_S = 1.0
_NAMED = 3


def verdict_title(verdict: Verdict, *, is_of_entities: bool = False) -> str:
    """Return the verdict in a few words: "2 critical, 1 warning", "No problem found", "Not judged yet", or
    "Judged in part: no problem found in CPU and memory" where nothing was judged of whole areas.

    ``is_of_entities``: it is that of some judged entities, whom not every area concerns.
    """
    counted = counts_text(verdict.counts)
    if verdict.counts.troubles:
        return counted
    if not verdict.is_judged:
        return verdict.state.capitalize()
    return clear_text(verdict, is_of_entities=is_of_entities) + (f"; {counted}" if counted else "")


def clear_text(verdict: Verdict, *, is_of_entities: bool = False) -> str:
    """Return how it is said that no problem was found: in what, where whole areas were not judged."""
    if verdict.is_partly_clear and not is_of_entities:
        return f"Judged in part: no problem found in {judged_areas_text(verdict)}"
    return "No problem found"


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
    """Return up to when was judged: "Judged to 02:43:20, 25 s behind", or why nothing was, or nothing but
    the states that a few samples show.

    ``newest`` is the time (ms) of the session's last sample, None where that is unknown.
    """
    judged_to = verdict.judged_to
    if not verdict.is_judged or judged_to is None:
        state = "nothing else could be judged" if verdict.counts.troubles else verdict.state
        return state.capitalize() + (f": {verdict.reason}" if verdict.reason else "")
    behind = 0.0 if newest is None else (newest - judged_to) / 1000
    late = f", {format_duration(behind)} behind" if behind >= _SOON_S else ""
    return f"Judged to {at(judged_to)}{late}"


def covered_text(verdict: Verdict) -> str:
    """Return what was judged: "looked for 18 of 20 known problems, for 2 of them in part only, in 3 sources";
    empty where nothing was.
    """
    if not verdict.is_judged:
        return ""
    sources = len(verdict.judged_sources)
    of = f" of {len(verdict.sources)}" if sources < len(verdict.sources) else ""
    named = verdict.judged_sources[0].name if len(verdict.sources) == 1 else ""
    where = named or f"{format_count(sources)}{of} sources"
    partial = len(verdict.partial_checks)
    in_part = f", for {format_count(partial)} of them in part only," if partial else ""
    known = f"{format_count(len(verdict.judged_checks))} of {format_count(len(verdict.applying_checks))}"
    return f"looked for {known} known problems{in_part} in {where}"


def limits_of(verdict: Verdict) -> list[str]:
    """Return what was not judged, a sentence each: problems with the counters that are missing, sources."""
    if not verdict.is_judged:
        return [*source_limits(verdict), *next_steps(verdict)]
    unjudged = _by_reason("Not judged", verdict.unjudged_checks)
    in_part = _by_reason("Judged in part", verdict.partial_checks)
    return [
        *limits_of_areas(verdict),
        *unjudged,
        *in_part,
        *coarse_texts(verdict),
        *_hidden(verdict),
        *source_limits(verdict),
        *thresholds_of(verdict),
    ]


def limits_of_areas(verdict: Verdict) -> list[str]:
    """Return which areas finding nothing does not clear, and what to do so that they can be judged; nothing
    where problems were found, or something was judged of each area.
    """
    return [unjudged_areas_text(verdict), *next_steps(verdict)] if verdict.is_partly_clear else []


def next_steps(verdict: Verdict) -> list[str]:
    """Return what to do so that what was not judged can be; nothing where nobody knows."""
    return [shown(verdict.next_step, 600)] if verdict.next_step else []


def unjudged_areas_text(verdict: Verdict) -> str:
    """Return of which of CPU, memory, storage and network no main check was judged, so that finding nothing
    is no all-clear for them; empty if one of each was, and where nothing was judged at all.
    """
    looked_at = {area_of(one.problem) for one in verdict.judged_checks}
    absent = [area for area in verdict.unjudged_areas if area not in looked_at]
    in_part = [area for area in verdict.unjudged_areas if area in looked_at]
    it, its = ("it" if len(absent) == 1 else "them"), ("its" if len(in_part) == 1 else "their")
    sentences = (
        (absent, f"the samples have nothing that tells of {it}."),
        (in_part, f"none of {its} main checks could be judged."),
    )
    return " ".join(f"This is no all-clear for {listed(areas)}: {why}" for areas, why in sentences if areas)


def judged_areas_text(verdict: Verdict) -> str:
    """Return of which areas a main check was judged: "CPU and memory"."""
    return listed([one for one in PROBLEM_AREAS if one not in verdict.unjudged_areas]) or "what was judged"


def _may_hide(check: CheckReach) -> bool:
    """Return True if a check that found nothing looked at samples too coarse for short spells."""
    return check.verdict == "not found" and check.unseen_s > 0


def coarse_texts(verdict: Verdict) -> list[str]:
    """Return which problems were not found in coarse samples, a sentence for each time that these hide."""
    found: dict[tuple[float, float], list[CheckReach]] = {}
    for check in verdict.checks:
        if _may_hide(check):
            found.setdefault((check.unseen_s, check.finer_s), []).append(check)
    return [
        f"Too coarse to rule out what lasted less than {format_duration(seconds)}: {_titles(some)}"
        + (f"; samples every {format_duration(finer)} or less would tell." if finer else ".")
        for (seconds, finer), some in sorted(found.items())
    ]


def _hidden(verdict: Verdict) -> list[str]:
    """Return which problems no connected source can show, a sentence for each source that would."""
    found: dict[str, list[CheckReach]] = {}
    for check in verdict.hidden_checks:
        found.setdefault(check.shown_by, []).append(check)
    return [
        f"Not looked for: {_titles(some)}: {shown(by)} would show {'it' if len(some) == 1 else 'them'}."
        for by, some in found.items()
    ]


def thresholds_of(verdict: Verdict) -> list[str]:
    """Return whose numbers judged, a sentence each: the admin's own sets with their versions, and why they
    did not, if so; none where all numbers are the shipped ones.
    """
    named = ", ".join(shown(one) for one in verdict.judged_with)
    trouble = shown(verdict.thresholds_trouble)
    return [f"Judged with {named}."] * bool(named) + [trouble] * bool(trouble)


def _by_reason(lead: str, checks: Sequence[CheckReach]) -> list[str]:
    """Return a sentence for each reason: "Not judged: Co-stop, Swapping: no source has …"."""
    found: dict[str, list[CheckReach]] = {}
    for check in checks:
        found.setdefault(check.reason, []).append(check)
    return [f"{lead}: {_titles(some)}{_because(reason)}." for reason, some in found.items()]


def _because(reason: str) -> str:
    """Return a reason as the end of a sentence; cards write theirs as sentences of their own."""
    text = reason.strip().removesuffix(".")
    begins_small = (text[:1].isupper() and text[1:2].islower()) or text.startswith("A ")
    return f": {text[0].lower() + text[1:] if begins_small else text}" if text else ""


def source_limits(verdict: Verdict) -> list[str]:
    """Return which sources were not judged, or not to the end, and why, a sentence for each reason."""
    if not verdict.is_judged and len({one.reason for one in verdict.sources}) < 2:
        return []  # the verdict's own reason says it
    found: dict[tuple[bool, str], list[str]] = {}
    for one in verdict.limited_sources:
        found.setdefault((one.judged is None, one.reason), []).append(one.name)
    return [
        f"{'Not judged' if is_unjudged else 'Judged in part'}: {_few(names)}: {reason}."
        for (is_unjudged, reason), names in found.items()
    ]


def verdict_sentence(verdict: Verdict, at: TimeText, newest: int | None = None) -> str:
    """Return the whole verdict as one text: up to when, of what, and what was not judged and why."""
    parts = [reach_text(verdict, at, newest) + "."]
    if covered := covered_text(verdict):
        parts.append(f"{covered[0].upper()}{covered[1:]}.")
    return " ".join([*parts, *limits_of(verdict)])


def entity_text(reach: EntityReach | None, verdict: Verdict, at: TimeText) -> str:
    """Return what was judged of one entity: "Judged to 02:43:20: looked for 7 of 8 known problems", or why
    nothing was.
    """
    if reach is not None:
        known = f"{format_count(reach.problems)} of {format_count(reach.of)} known problems"
        return f"Judged to {at(reach.to)}: looked for {known}."
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
        "partly": verdict.is_partly_clear,
        "unjudged_areas": [area.name for area in verdict.unjudged_areas],
        "judged_with": list(verdict.judged_with),
        "thresholds_trouble": verdict.thresholds_trouble,
        "next_step": verdict.next_step,
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
                "title": one.title,
                "verdict": one.verdict or None,
                "found": one.found,
                "because": check_because(one),
                "unseen_s": one.unseen_s,
                "finer_s": one.finer_s,
                "number": None if one.number is None else _number_json(one.number),
            }
            for one in verdict.checks
        ],
    }


def check_because(check: CheckReach) -> str:
    """Return why a check came out as it did: its number and its limit, and what was not judged of it."""
    if check.verdict == "not applicable":
        if check.told_if_found:
            return "it is told where it is found; that it was not found here is no all-clear"
        hidden = f"no connected source shows it; {check.shown_by} would" if check.shown_by else ""
        return hidden or "nothing in the session can have it"
    if check.number is not None and check.is_unjudged_past_limit:
        return f"{number_text(check.number)}; {check.reason}"
    if check.verdict == "insufficient data" or check.number is None:
        unseen = "nothing was in the state that it looks at"
        if check.verdict == "not found" and check.reason:
            return f"{unseen}; {check.reason}"
        return check.reason or unseen
    found = f"{format_count(check.found)} found" if check.found else ""
    return "; ".join(
        part for part in (found, number_text(check.number), certainty_text(check), check.reason) if part
    )


def certainty_text(check: CheckReach) -> str:
    """Return why a check only suspects something, or what samples as coarse as these may have hidden from one
    that found nothing; empty where neither is so.
    """
    if check.verdict == "suspected" and not check.suspected:
        return "what else the rule asks of it is not known"
    if check.verdict == "suspected" and check.unseen_s:
        often = (
            f"record every {format_duration(check.finer_s)} or less" if check.finer_s else "record more often"
        )
        return f"in a lone sample, which may be a moment that its interval spreads: {often}"
    if check.verdict == "suspected":
        return "in every sample, but too few to say how long"
    number = check.number
    if number and (number.passed_s or number.passed_samples) and not _passed_text(number):
        return "it was for that long, but without what else the rule asks"
    hides = _may_hide(check)
    finer = f": samples every {format_duration(check.finer_s)} or less would tell" if check.finer_s else ""
    return f"what lasted less than {format_duration(check.unseen_s)} may not show{finer}" if hides else ""


def checks_text(verdict: Verdict) -> list[str]:
    """Return a sentence for each of ``told_checks``."""
    return [f"{one.title}: {one.verdict}: {check_because(one)}." for one in told_checks(verdict)]


def told_checks(verdict: Verdict) -> list[CheckReach]:
    """Return the checks that found nothing, only suspect something, or saw a number over its limit and could
    not judge it; these first.
    """
    suspected = [one for one in verdict.checks if one.verdict == "suspected"]
    unjudged = [one for one in verdict.checks if one.is_unjudged_past_limit]
    return [*suspected, *unjudged, *(one for one in verdict.checks if one.verdict == "not found")]


def number_text(number: CheckNumber) -> str:
    """Return a check's number with its limit: "ready on the worst vCPU of web01 at most 0.2 %, limit 5 % for
    1 min"; of a state its word: "memory state of esx01 at worst high, a problem: soft or worse for 1 min".
    Nobody is named where others have the same number.
    """
    held = f" for {format_duration(number.hold_s)}" if number.hold_s else ""
    if number.hold_samples > 1 and number.passed_samples:
        held = f" in {format_count(number.hold_samples)} samples"
    what = f"{number.what} of {shown(number.entity_name)}"
    if number.is_common:
        what = f"{number.what.rstrip(', ')}:"
    passed = _passed_text(number)
    if number.word:
        return f"{what} at worst {number.word}, a problem: {number.bad}{held}{passed}"
    most = "at least" if number.is_below else "at most"
    value, limit = (format_measured(one, number.unit, number.limit) for one in (number.value, number.limit))
    if not number.limit and not number.is_below:
        return f"{what} at most {value}; any{held} is a problem{passed}"
    return f"{what} {most} {value}, limit {limit}{held}{passed}"


def _passed_text(number: CheckNumber) -> str:
    """For how long a number was past its limit that was no problem, as the rest of a sentence; empty where it
    was not, or was for as long as the rule asks.
    """
    where = "so" if number.word or not number.limit else "under it" if number.is_below else "over it"
    if 0 < number.passed_samples < number.hold_samples:
        return f"; {where} in {format_count(number.passed_samples)}"
    if 0 < number.passed_s < number.hold_s:
        return f"; {where} for {format_duration(number.passed_s)} at a time"
    return ""


def _number_json(number: CheckNumber) -> dict[str, object]:
    return {
        "what": number.what,
        "entity": {"kind": number.entity.kind, "name": number.entity_name},
        "value": number.value if math.isfinite(number.value) else None,
        "limit": number.limit,
        "unit": number.unit,
        "hold_s": number.hold_s,
        "is_below": number.is_below,
        "is_common": number.is_common,
        "word": number.word,
        "bad": number.bad,
        "passed_s": number.passed_s,
        "hold_samples": number.hold_samples,
        "passed_samples": number.passed_samples,
    }


def _titles(checks: Sequence[CheckReach]) -> str:
    return _few([check.title for check in checks])


def _few(names: Sequence[str]) -> str:
    """Return the first of some names, and how many more there are."""
    named = ", ".join(names[:_NAMED])
    more = len(names) - _NAMED
    return named + (f" and {more} more" if more > 0 else "")
