"""What the Troubleshoot page says of one check and of its verification, as texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from resources.catalogue import load_catalogue
from resources.foreign_text import shown
from resources.problem_cards import load_problems
from resources.units import format_change, format_count, format_duration, format_measured
from sessions.clock import Clock
from sessions.troubleshooting import (
    CheckResult,
    RuleLine,
    Verification,
    VerifiedNumber,
    ranked,
)
from sessions.verdicts import CheckNumber
from viewmodels.cited_sources import cited
from viewmodels.health import Health
from wizards.flows.result_sheet import Chip
from wizards.flows.troubleshooting.outcomes import roots_of
from wizards.flows.troubleshooting.page_rows import STATES

_CONTEXT = "–"
"""Said of a number that has no limit."""
_NAMED = 2
"""Of those who are worse since a change, so many are named beside the verdict."""


@dataclass(frozen=True, slots=True)
class RuleWords:
    """A line of the rule as texts; ``limit`` and ``holds`` are a dash for what is only context."""

    what: str
    measured: str
    limit: str
    holds: str
    source: str


@dataclass(frozen=True, slots=True)
class DetailHead:
    """The head of the detail: state, title, chips, the sentence, and what it follows from."""

    state: Health
    title: str
    chips: tuple[Chip, ...]
    sentence: str
    follows: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NumberWords:
    """A number before and after as texts, and how the change is meant."""

    what: str
    before: str
    after: str
    change: str
    state: Health


@dataclass(frozen=True, slots=True)
class VerifyWords:
    """A verification as texts. ``part`` (0 to 1) is how much of what it needs is there, None when done.

    ``next`` is what to do where a problem is still there.
    """

    state: Health
    title: str
    when: str
    sentence: str
    load: str
    part: float | None
    changes: tuple[str, ...]
    numbers: tuple[NumberWords, ...]
    elsewhere: tuple[str, ...]
    next: str = ""


def head_of(check: CheckResult, before: CheckResult | None = None) -> DetailHead:
    """Return the head of a check; ``before`` is the same one before the change, if it was judged again."""
    state = STATES[check.verdict]
    chips = [Chip(check.verdict, state)]
    if before is not None and before.verdict != check.verdict and before.is_found:
        chips.append(Chip(f"was {'a problem' if before.verdict == 'problem' else before.verdict}", "part"))
    if check.is_found and check.lasted_s:
        chips.append(Chip(format_duration(check.lasted_s), "part"))
    follows = ""
    if check.follows_from is not None:
        _, above, _, name = check.follows_from
        follows = f"Follows from: {above}, {name}."
    notes = list(check.notes)
    if check.get and check.get.rstrip(".").lower() not in check.because.lower():
        notes.insert(0, check.get)
    notes += [f"Also {one.name}: {one.conclusion}" for one in check.also]
    return DetailHead(state, check.title, tuple(chips), check.because, follows, tuple(notes))


def rules_of(check: CheckResult) -> Sequence[RuleWords]:
    """Return the lines of a check's rule as texts; a state has its word, ``soft``, and −1 is ``unlimited``
    where it means that.
    """
    return [rule_words(line, *_words_of(line, check)) for line in check.rule]


def limit_source(check: CheckResult) -> tuple[str, str]:
    """Return where the limit of a check comes from, and who those are whom it names; empty if nobody says."""
    source = next((one.source for one in check.rule if one.source), "")
    if not source:
        return "", ""
    return f"Limit: {shown(source, 200)}", "\n".join(cited([source], load_problems().sources))


def number_words(number: CheckNumber) -> RuleWords:
    """Return the worst number of a check that found nothing as a line of its rule."""
    what = f"{number.what.rstrip(', ')}, worst of {number.entity_name}"
    line = RuleLine(what, number.value, number.limit, number.unit, holds=False, is_below=number.is_below)
    return rule_words(line, number.word, number.bad)


def rule_words(line: RuleLine, value: str = "", limit: str = "") -> RuleWords:
    """Return a line of a rule as texts. ``value`` and ``limit`` are the words for its numbers, if they have
    some.
    """
    what = line.what[:1].upper() + line.what[1:]
    holds = _CONTEXT if line.holds is None else ("yes" if line.holds else "no")
    measured = value or format_measured(line.value, line.unit, line.limit)
    if line.limit is None:
        return RuleWords(what, measured, _CONTEXT, holds, line.source)
    sign = "<" if line.is_below else "≥"
    against = limit or f"{sign} {format_measured(line.limit, line.unit, line.limit)}"
    return RuleWords(what, measured, against, holds, line.source)


def _words_of(line: RuleLine, check: CheckResult) -> tuple[str, str]:
    """Return the words for what a line of a rule measured and for its limit; empty for plain numbers."""
    told, number = (line.value, line.limit, line.unit), check.number
    if number is not None and (number.value, number.limit, number.unit) == told:
        return number.word, number.bad
    for item in check.evidence:
        if (item.value, item.threshold, item.unit) == told and not item.what:
            return _word(item.counter, line.value), _limit_word(item.counter, line)
    return "", ""


def _limit_word(counter: str, line: RuleLine) -> str:
    word = _word(counter, line.limit) if line.limit is not None and line.unit == "state" else ""
    return f"{word} or {'lower' if line.is_below else 'worse'}" if word else ""


def _word(counter: str, value: float) -> str:
    known = load_catalogue().get(counter)
    return (known.value_name(value) or "") if known is not None else ""


_OUTCOMES: dict[str, Health] = {
    "fixed": "ok",
    "better": "warning",
    "unchanged": "critical",
    "worse": "critical",
    "can't tell": "none",
}
_JUDGED: dict[str, Health] = {"better": "ok", "worse": "critical"}


def verify_words(found: Verification, clock: Clock) -> VerifyWords:
    """Return a verification as texts."""
    when = clock.window(found.after, zone=False) if found.after is not None else ""
    if found.session:
        when = f"{found.session} · {when}"
    title = (found.outcome or found.state).capitalize()
    if found.outcome == "better" and any(one.is_found for one in found.checked):
        title = "Better, but not all of it is gone"
    if found.outcome and found.confidence != "none":
        title += f", confidence {found.confidence}"
    title += worse_elsewhere(found)
    if found.state == "too early":
        title = _too_early(found)
    changes = tuple(
        f"{clock.time(one.at)}  {f'{one.name}: ' if one.name and one.name not in one.what else ''}{one.what}"
        + (f", by {one.by}" if one.by else "")
        for one in found.changes
    )
    return VerifyWords(
        _OUTCOMES.get(found.outcome or "", "none"),
        title,
        when,
        f"{found.because} {awaited_words(found, clock)}".strip(),
        found.load,
        _part(found),
        changes,
        tuple(_number(one) for one in found.numbers),
        tuple(f"{one.name}: {one.title}. {one.conclusion}" for one in found.elsewhere),
        next_words(found),
    )


def next_words(found: Verification) -> str:
    """Return what to do next where a problem is still there; empty where it is gone or can't be told."""
    left = next(iter(roots_of(ranked(found.checked))), None)
    if left is None or not left.steps or found.outcome not in ("better", "unchanged", "worse"):
        return ""
    back = "take back what was changed if it can be the reason, then " if found.outcome == "worse" else ""
    done = [number for number, step in enumerate(left.steps, start=1) if step.seen]
    rest = [number for number, step in enumerate(left.steps, start=1) if not step.seen]
    of = f"of “{left.title}”"
    if not rest:
        return f"Next: {back}look at the causes {of} that are unknown, and at what could not be judged."
    if done:
        return f"Next: {back}step {rest[0]} {of}; step {done[-1]} was done."
    if not back and found.outcome == "unchanged":
        back = "see that the change took effect, then "
    return f"Next: {back}the steps {of}; none of them was seen to be done."


def awaited_words(found: Verification, clock: Clock) -> str:
    """Return when the samples are expected that are waited for, or since when their source gives none."""
    samples = found.samples
    if found.state != "too early" or samples is None or not samples.is_growing or samples.is_enough:
        return ""
    if samples.is_late:
        return f"{shown(samples.source)} has given none since {clock.time(samples.last)}."
    return f"That is at about {clock.time(samples.due)}."


def _too_early(found: Verification) -> str:
    samples = found.samples
    if samples is None:
        return f"Too early: {format_duration(found.has_s)} of {format_duration(found.needs_s)}"
    lead = "Watching" if samples.is_growing else "Too early"
    return f"{lead}: {format_count(samples.has)} of {format_count(samples.needs)} samples"


def _part(found: Verification) -> float | None:
    """How much there is of what is waited for, 0 to 1; None when it is done."""
    if found.state == "done":
        return None
    if found.samples is not None:
        return min(1.0, found.samples.has / max(1, found.samples.needs)) if found.changes else 0.0
    return min(1.0, found.has_s / found.needs_s) if found.needs_s else 0.0


def worse_elsewhere(found: Verification) -> str:
    """Return who has a problem since the change, to follow the verdict: it may be the fix's price."""
    names = list(dict.fromkeys(shown(one.name) for one in found.elsewhere))
    if not names:
        return ""
    more = f" and {format_count(len(names) - _NAMED)} more" if len(names) > _NAMED else ""
    return f"; worse elsewhere: {', '.join(names[:_NAMED])}{more}"


def _number(one: VerifiedNumber) -> NumberWords:
    before, after = (format_measured(value, one.unit) for value in (one.before, one.after))
    if one.judged in ("~", "undecided"):
        change = "~" if one.judged == "~" else "undecided"
    else:
        change = format_change(one.difference, one.unit)
    what = one.what.rstrip(", ")
    return NumberWords(what[:1].upper() + what[1:], before, after, change, _JUDGED.get(one.judged, "part"))
