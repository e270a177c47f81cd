"""What became of each check after a change: fixed, better, unchanged, worse, or nobody can tell.

Pure functions of what was judged before and after: they read no session.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from resources.units import format_duration, format_measured
from sessions.times import TimeRange, longest_pause
from sessions.troubleshooting import (
    CheckedAgain,
    CheckOutcome,
    CheckResult,
    Confidence,
    Outcome,
    SeenChange,
    VerifiedNumber,
    ranked,
)
from wizards.flows.troubleshooting.verified_numbers import JudgedLoad

_SEVERITY = {"critical": 3, "warning": 2, "info": 1, None: 0}
_OF_RUN: dict[CheckOutcome, Outcome] = {
    "fixed": "fixed",
    "better": "better",
    "unchanged": "unchanged",
    "worse": "worse",
    "new": "worse",
}
_SAME_SAID: dict[Outcome, frozenset[str]] = {
    "fixed": frozenset({"better", "to know"}),
    "better": frozenset({"better", "to know"}),
    "unchanged": frozenset({"~", "to know"}),
    "worse": frozenset({"worse", "to know"}),
}
"""What the main number may read where the outcome is told with high confidence."""
_PAUSES = 2
"""Of the longest pause of a problem that comes and goes, so many without it are more than a pause."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What decides how a difference is read.

    ``before_ms`` and ``slack_ms`` are how long before a problem's end, and how long after it, a change counts
    as what ended it. A problem that was over for ``quiet_ms`` at the end of the later window (``after``) is
    over. ``is_other``: that window is of another session, where nobody saw when the problem ended.
    ``undone`` are the problems whose very cause was seen to be taken away: the limit itself.
    """

    changes: Sequence[SeenChange]
    load: JudgedLoad
    after: TimeRange
    before_ms: int
    slack_ms: int
    quiet_ms: int
    is_other: bool
    undone: frozenset[str] = frozenset()


def checked_again(
    before: CheckResult,
    after: CheckResult,
    number: VerifiedNumber | None,
    where: Circumstances,
    following: Sequence[tuple[CheckResult, CheckResult]] = (),
    at_load: VerifiedNumber | None = None,
) -> CheckedAgain:
    """Return what became of one check. ``following`` are those that follow from it, before and after;
    ``at_load`` is its number at those times after the change at which a higher load was as before.

    As long as something that follows from a problem is there, the problem has not ended: the pattern that
    shows it may be plain for a part of the time only.
    """
    over = over_within(before, after, where)
    ends = [_end_of(*one) for one in ((before, after), *following)]
    ended = over if after.is_found else max((one for one in ends if one is not None), default=None)
    outcome, because = _outcome(before, after, (number, at_load), ended, where)
    shown = after.number or before.number
    return CheckedAgain(
        problem=before.problem,
        title=before.title,
        row=before.row,
        before=before.verdict,
        after=after.verdict,
        outcome=outcome,
        because=because,
        value_before=before.number.value if before.number else None,
        value_after=after.number.value if after.number else None,
        limit=shown.limit if shown else None,
        unit=shown.unit if shown else "",
        ended_at=ended if before.is_found else None,
        number=number,
    )


def _outcome(
    before: CheckResult,
    after: CheckResult,
    numbers: tuple[VerifiedNumber | None, VerifiedNumber | None],
    ended: int | None,
    where: Circumstances,
) -> tuple[CheckOutcome, str]:
    if not before.is_found:
        if after.is_found:
            return "new", after.because
        both = before.verdict == after.verdict == "not found"
        return ("not found" if both else "can't tell"), after.because
    if after.is_found and ended is None:
        return _still_there(before, after, numbers, where)
    return _gone(before, after, numbers[0], ended, where)


def _gone(
    before: CheckResult,
    after: CheckResult,
    number: VerifiedNumber | None,
    ended: int | None,
    where: Circumstances,
) -> tuple[CheckOutcome, str]:
    """A problem that is none any more: who is to be thanked?

    A check that only ever finds, and has nothing to find, is as good as one that found nothing where its
    number was measured.
    """
    if after.verdict == "insufficient data" or (after.verdict == "not applicable" and number is None):
        return "can't tell", after.because
    above = before.follows_from[0] if before.follows_from is not None else before.problem
    is_undone = not where.undone.isdisjoint({above, before.problem})
    is_beyond = number is not None and number.judged != "better" and _is_beyond(number.after, before)
    if is_beyond and number is not None and not is_undone:
        return "can't tell", (
            f"{_change_of(number, before)} It is over the limit as before; only what else the check asks "
            "for is not there."
        )
    if where.load.kind == "lower" and not is_undone:
        return "can't tell", f"It is gone, but so is the load. {where.load.text}"
    if not is_undone and (returns := _may_return(before, after, ended, where)) is not None:
        return "can't tell", returns
    cause = what_ended(ended, where, longest_pause((*before.windows, *after.earlier)))
    if cause is None:
        return "ended by itself", (
            "It is gone, but no change was seen at the time that it ended: it may come back."
        )
    slowly = "It took some time to fade away." if after.is_found else _now(number, after)
    return "fixed", f"It is gone after this change: {_told(cause)}. {slowly}"


def _is_beyond(value: float, check: CheckResult) -> bool:
    """True for a number on that side of the limit on which it was when the check was found."""
    told = check.number
    if told is None or told.limit is None or told.value is None:
        return False
    return (value >= told.limit) if told.value >= told.limit else (value <= told.limit)


def _still_there(
    before: CheckResult,
    after: CheckResult,
    numbers: tuple[VerifiedNumber | None, VerifiedNumber | None],
    where: Circumstances,
) -> tuple[CheckOutcome, str]:
    """A problem that is still one: its number, else its severity, says whether it is less of one."""
    number, _ = numbers
    milder = _SEVERITY[after.severity] - _SEVERITY[before.severity]
    if before.name not in _names(after) and after.name not in _names(before):
        became: CheckOutcome = "better" if milder < 0 else "worse" if milder > 0 else "unchanged"
        return became, f"It is gone from {before.name}, but {after.name} has it now. {after.because}"
    changed = number.judged if number is not None else "undecided"
    if changed == "better" or (changed in {"~", "undecided"} and milder < 0):
        if where.load.kind == "lower":
            return "can't tell", f"It is less, but so is the load. {where.load.text}"
        return "better", f"It is less, but still over the limit. {_now(number, after)}"
    if changed == "worse" or (changed in {"~", "undecided"} and milder > 0):
        return _more_of_it(numbers, after, where)
    seen = "" if where.changes else " No change was seen."
    return "unchanged", f"{_now(number, after)}{seen}"


def _more_of_it(
    numbers: tuple[VerifiedNumber | None, VerifiedNumber | None], after: CheckResult, where: Circumstances
) -> tuple[CheckOutcome, str]:
    """A problem that is more of one: of a higher load, if its number is not worse while that is as before."""
    number, at_load = numbers
    if where.load.kind != "higher":
        return "worse", _now(number, after)
    if number is None or at_load is None or not number.judged == at_load.judged == "worse":
        return "can't tell", f"It is more, but so is the load. {where.load.text}"
    value = format_measured(at_load.after, at_load.unit)
    alike = f"While the load was as before it was {value}."
    return "worse", f"{_now(number, after)} {where.load.text} {alike}"


def _names(check: CheckResult) -> set[str]:
    """Who has a problem: across sessions the same things have other references."""
    return {check.name, *(one.name for one in check.also)}


def _now(number: VerifiedNumber | None, after: CheckResult) -> str:
    """The number before and after; a finding's own sentence may tell of a time before the window, too."""
    if number is None or not after.is_found:
        return after.because
    return _change_of(number, after)


def _change_of(number: VerifiedNumber, check: CheckResult) -> str:
    """The number before and after, and the limit that the check has for it."""
    limit = check.number.limit if check.number is not None else None
    before, now = (format_measured(one, number.unit, limit) for one in (number.before, number.after))
    against = f", limit {format_measured(limit, number.unit, limit)}" if limit is not None else ""
    return f"{number.what[:1].upper()}{number.what[1:]}: {before} → {now}{against}."


def over_within(before: CheckResult, after: CheckResult, where: Circumstances) -> int | None:
    """Return when a problem that reached into the later window ended there, as a balloon that empties; None
    if it had not, or if the pause is no longer than pauses that it had before.
    """
    if not after.is_found or not after.windows:
        return None
    end = max(one.end for one in after.windows)
    every = (*before.windows, *after.earlier, *after.windows)
    quiet = max(where.quiet_ms, _PAUSES * longest_pause(every))
    return end if where.after.end - end >= quiet else None


def _may_return(
    before: CheckResult, after: CheckResult, ended: int | None, where: Circumstances
) -> str | None:
    """Say so where a problem that came and went was not watched for longer than it used to stay away."""
    pause = longest_pause((*before.windows, *after.earlier))
    if not pause or after.is_found:
        return None
    since = where.after.start if where.is_other or ended is None else ended
    quiet = where.after.end - since
    if quiet >= _PAUSES * pause:
        return None
    stayed, watched = (format_duration(one / 1000) for one in (pause, quiet))
    enough = format_duration(_PAUSES * pause / 1000)
    return (
        f"It is not there now, but it came and went before, and stayed away for up to {stayed}. "
        f"{watched} of quiet are too short to tell: watch it for {enough}."
    )


def _end_of(before: CheckResult, after: CheckResult) -> int | None:
    """When the problem ended: the last time that it is known of, before or between the windows."""
    ends = [one.end for one in (*before.windows, *after.earlier)]
    return max(ends, default=None)


def what_ended(ended: int | None, where: Circumstances, pause: int = 0) -> SeenChange | None:
    """Return the change that can have ended a problem: one that was told of, or seen near its end.

    What was over long before a change was not ended by it; a problem that comes and goes may have been in
    one of its pauses (``pause``: the longest of them, ms). What was told of first did nothing if the problem
    went on until a later change, which was seen.
    """
    told = [one for one in where.changes if one.told]
    if not told:
        return _seen_by(ended, where.changes, where)
    if not where.is_other and ended is not None and ended < told[-1].at - max(where.before_ms, pause):
        return _seen_by(ended, where.changes, where)
    if where.is_other or ended is None or ended <= told[-1].at + where.before_ms:
        return told[-1]
    return _seen_by(ended, [one for one in where.changes if one.at > told[-1].at], where) or told[-1]


def _seen_by(ended: int | None, changes: Sequence[SeenChange], where: Circumstances) -> SeenChange | None:
    """Return the change that is nearest to the end of a problem; the last one where it faded away, or where
    nobody saw its end.
    """
    if where.is_other or ended is None or ended > where.after.start:
        return changes[-1] if changes else None
    near = [one for one in changes if ended - where.before_ms <= one.at <= ended + where.slack_ms]
    return min(near, key=lambda one: abs(one.at - ended), default=None)


def _told(change: SeenChange) -> str:
    of = f"{change.name}: " if change.name and change.name not in change.what else ""
    return f"{of}{change.what.rstrip('.')}"


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The outcome of the whole, and the sentence for it. ``main`` is the check that decided it."""

    outcome: Outcome
    because: str
    main: CheckedAgain | None


def roots_of(checks: Sequence[CheckResult]) -> list[CheckResult]:
    """Return what decides the whole, worst first: what follows from nothing else and is a trouble; of a run
    that found nothing of the kind all that it found.
    """
    roots = [one for one in ranked(checks) if one.follows_from is None and one.severity != "info"]
    return roots or list(ranked(checks))


def conclusion(before: Sequence[CheckResult], again: Sequence[CheckedAgain]) -> Conclusion:
    """Return what became of the whole: that of the worst problem, unless another one stands in its way."""
    by_problem = {one.problem: one for one in again}
    roots = roots_of(before)
    if not roots:
        return Conclusion(
            "can't tell", "Nothing was found before: there is nothing that could be gone.", None
        )
    own = [by_problem[one.problem] for one in roots]
    main = own[0]
    credited = next((one for one in own if one.outcome == "fixed"), None)
    if main.outcome == "ended by itself" and credited is not None:
        main = credited
    new = [one for one in again if one.outcome == "new"]
    left = [one for one in own if one is not main and one.outcome in ("unchanged", "worse", "better")]
    gone = [one for one in own if one is not main and one.outcome == "fixed"]
    outcome = _OF_RUN.get(main.outcome, "can't tell")
    told = "" if main.after in ("problem", "suspected") else _numbers(main)
    sentence = f"{main.title}: {told}{main.because}"
    if outcome == "fixed" and left:
        outcome = "better"
        sentence += f" Still there: {', '.join(one.title for one in left)}."
    if outcome == "unchanged" and gone:
        outcome = "better"
        sentence = f"Fixed: {', '.join(one.title for one in gone)}. Still there: {sentence}"
    if new:
        sentence += f" New: {', '.join(one.title for one in new)}."
    return Conclusion(outcome, sentence, main)


def _numbers(again: CheckedAgain) -> str:
    number = again.number
    if number is None:
        return ""
    before, after = (format_measured(one, number.unit) for one in (number.before, number.after))
    return f"{number.what} was {before}, now {after}. "


def confidence_of(
    found: Conclusion, where: Circumstances, has_s: float, needs_s: float, before: TimeRange
) -> Confidence:
    """Return how sure the outcome is: high only with enough time, the same load, a change, and a number that
    says the same. That of a short burst is undecided in the mean: the outcome is no surer than it.
    """
    if found.outcome == "can't tell" or found.main is None:
        return "none"
    if has_s < needs_s or before.seconds < needs_s / 2:
        return "indicative"
    number = found.main.number
    is_sure = number is None or (number.interval is not None and number.judged in _SAME_SAID[found.outcome])
    steady = where.load.kind in ("same", "similar") or (
        where.load.is_no_less and found.outcome in ("fixed", "better")
    )
    if steady and is_sure and (where.changes or found.outcome not in ("fixed", "better")):
        return "high"
    return "medium"
