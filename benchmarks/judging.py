"""Compares a diagnosis with the true problems of the scenario that it judged.

A true problem counts as found when a finding names the same problem and entity, overlaps its time and has its
severity (above info, or info where the scenario says so). A finding above info is a false alarm when it is
neither a true problem, nor allowed by the scenario (``also``), nor a consequence of a true problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from benchmarks.scores import Score
from diagnosis import Diagnosis
from lab import GroundTruth, Truth
from sessions.findings import Finding
from sessions.model import EntityRef
from sessions.verdicts import CheckReach


def judge(
    truth: GroundTruth,
    findings: Sequence[Finding],
    origin_ms: int,
    where: str,
    interval_s: float = 0.0,
    *,
    lacks_counters: bool = False,
) -> dict[str, Score]:
    """Compare the findings of one run with the scenario's true problems; return scores by problem.

    ``origin_ms`` is the session time of the scenario's start; ``where`` begins the lines that explain misses.
    ``interval_s`` is how long a sample is: it stands for the time before it. Where the recording
    ``lacks_counters`` a true cause may be unknown, as long as no other one is called likely.
    """
    scores: dict[str, Score] = {}
    right: set[tuple[str, EntityRef]] = set()
    for one in truth.truth:
        score = scores.setdefault(one.problem, Score())
        score.truths += 1
        matches = [finding for finding in findings if _matches(one, finding, origin_ms, interval_s)]
        if not matches:
            score.misses.append(f"{where}: missed {one.problem} of {one.name}")
            continue
        right.update((match.problem, match.entity) for match in matches)
        match = next((finding for finding in matches if finding.problem == one.problem), matches[0])
        score.found += 1
        first = match.causes[0].cause if match.causes else ""
        is_asked = bool(one.cause) and not (lacks_counters and _says_unknown(one, match))
        score.any_cause += not is_asked
        score.cause_right += is_asked and one.has_first(first)
        if is_asked and not one.has_first(first):
            score.misses.append(f"{where}: {one.problem} of {one.name}: {first} instead of {one.cause}")
    for finding in _alarms(truth, findings, right):
        score = scores.setdefault(finding.problem, Score())
        score.alarms += 1
        score.misses.append(
            f"{where}: false alarm {finding.severity} {finding.problem} of {finding.entity_name}: "
            f"{finding.conclusion}"
        )
    return scores


def judge_checks(
    truth: GroundTruth,
    diagnosis: Diagnosis,
    scores: dict[str, Score],
    where: str,
    hidden: Mapping[str, Callable[[CheckReach], bool]] | None = None,
) -> None:
    """Count the verdicts of all checks into ``scores``, which ``judge`` has made of the same diagnosis.

    A check is right that says "problem" or "suspected" where there is one, and nothing of the kind where
    there is none; a finding that the scenario allows is right either way, as is what a coarse recording only
    suspects. ``hidden`` are the problems that
    this recording can't show, each with what its check must say instead of an all-clear.
    """
    there = {one.problem for one in truth.truth if one.severity != "info" and not one.instead}
    found = {one.problem for one in diagnosis.findings} | {one.problem for one in truth.also}
    for check in diagnosis.verdict.checks:
        score = scores.setdefault(check.problem, Score())
        says = check.verdict in ("problem", "suspected")
        allowed = not score.alarms if check.problem in found else not says
        right = says if check.problem in there else allowed
        if check.verdict == "suspected" and check.unseen_s:
            right = True
        if hidden and check.problem in hidden and check.problem not in there:
            right = not score.alarms and hidden[check.problem](check)
        score.checks += 1
        score.checks_right += right
        if not right:
            said = f" ({check.reason})" if check.reason else ""
            score.misses.append(f"{where}: verdict on {check.problem}: {check.verdict}{said}")


def _says_unknown(truth: Truth, finding: Finding) -> bool:
    """Return True if a finding does not know the true cause, and calls no other one likely."""
    own = [one.verdict for one in finding.causes if truth.has_first(one.cause)]
    likely = [one for one in finding.causes if one.verdict == "likely"]
    return not likely and (not own or "unknown" in own)


def is_found(truth: Truth, findings: Sequence[Finding], origin_ms: int, interval_s: float) -> bool:
    """Return True if a finding names the true problem; see ``judge`` for the parameters."""
    return any(_matches(truth, finding, origin_ms, interval_s) for finding in findings)


def _matches(truth: Truth, finding: Finding, origin_ms: int, interval_s: float) -> bool:
    named = (finding.entity.kind, finding.entity_name) == (truth.kind, truth.name)
    if (
        finding.problem not in truth.problems
        or not named
        or (finding.severity == "info") != (truth.severity == "info")
    ):
        return False
    start, end = origin_ms + truth.start_s * 1000, origin_ms + truth.end_s * 1000
    before = round(interval_s * 1000)
    return any(window.start - before <= end and window.end >= start for window in finding.windows)


def _alarms(
    truth: GroundTruth, findings: Sequence[Finding], right: set[tuple[str, EntityRef]]
) -> Iterable[Finding]:
    by_key = {(finding.problem, finding.entity): finding for finding in findings}
    allowed = {
        (finding.problem, finding.entity)
        for finding in findings
        for also in truth.also
        if also.problem == finding.problem and (not also.names or finding.entity_name in also.names)
    }
    fine = right | allowed
    for key, finding in by_key.items():
        above = finding.consequence_of
        while above in by_key and above not in fine:
            above = by_key[above].consequence_of
        if finding.severity != "info" and key not in fine and above not in fine:
            yield finding
