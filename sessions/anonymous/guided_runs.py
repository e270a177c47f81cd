"""What runs of the guided troubleshooting name, and which of their words are the program's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from resources.anonymity_rules import AnonymityRules
from sessions.model import EntityRef, Event
from sessions.troubleshooting import (
    AwaitedSamples,
    CheckedAgain,
    CheckResult,
    Elsewhere,
    FoundOn,
    Note,
    RowResult,
    RuleLine,
    SeenChange,
    Step,
    Symptom,
    TroubleshootingRun,
    Verification,
    VerifiedNumber,
)
from sessions.verdicts import CheckNumber

LEFT_OUT = "Told of another session, whose names are not known here: left out."
OWN_WORDS: Mapping[type, frozenset[str]] = {
    Symptom: frozenset({"noticed"}),
    RuleLine: frozenset({"unit"}),
    Step: frozenset({"cause"}),
    FoundOn: frozenset({"severity"}),
    CheckResult: frozenset({"problem", "title", "row", "group", "verdict", "severity"}),
    RowResult: frozenset({"id", "title", "group", "guide", "verdict", "leading", "problems"}),
    SeenChange: frozenset({"setting"}),
    VerifiedNumber: frozenset({"what", "unit", "judged"}),
    CheckedAgain: frozenset({"problem", "title", "row", "before", "after", "outcome", "unit"}),
    Elsewhere: frozenset({"problem", "title", "severity"}),
    AwaitedSamples: frozenset({"what"}),
    Verification: frozenset({"state", "outcome", "confidence"}),
}
"""Fields with words of the program; whatever else a run tells may hold names."""
_NAMED: tuple[tuple[type, str, str], ...] = (
    (Symptom, "entity", "name"),
    (CheckResult, "entity", "name"),
    (FoundOn, "entity", "name"),
    (SeenChange, "entity", "name"),
    (Elsewhere, "entity", "name"),
    (CheckNumber, "entity", "entity_name"),
)


def told_names(run: TroubleshootingRun, rules: AnonymityRules) -> Iterator[tuple[str, str]]:
    """Yield what a run names and how, also what is of another session: an entity there may be none here."""
    for value in _values_of(run):
        for kind, of, name in _NAMED:
            if isinstance(value, kind) and getattr(value, of) is not None:
                yield from _named(getattr(value, of), getattr(value, name), rules)
        if isinstance(value, CheckResult) and value.follows_from is not None:
            yield from _named(*value.follows_from[2:], rules)
        if isinstance(value, Verification) and value.session:
            yield "session", value.session
            yield "session", value.session.removesuffix(".hscope")


def told_users(run: TroubleshootingRun) -> Iterator[str]:
    """Yield who wrote a note, or made a change."""
    yield from (one.by for one in _values_of(run) if isinstance(one, Note | SeenChange | Event) and one.by)


def of_this_session(run: TroubleshootingRun) -> TroubleshootingRun:
    """Return the run without the texts about another session: what they name is known only there.

    Verdicts, numbers and the names that stand for themselves stay.
    """
    return replace(run, verifications=tuple(map(_of_this_session, run.verifications)))


def _of_this_session(found: Verification) -> Verification:
    if not found.session:
        return found
    return replace(
        found,
        because=LEFT_OUT,
        samples=None,
        load=LEFT_OUT if found.load else "",
        changes=tuple(replace(one, what=LEFT_OUT) if not one.told else one for one in found.changes),
        checks=tuple(replace(one, because=LEFT_OUT) for one in found.checks),
        checked=tuple(
            replace(
                one, because=LEFT_OUT, looked_at="", rule=(), evidence=(), causes=(), steps=(), changes=(),
                notes=(), also=(), get="", number=None,
            )
            for one in found.checked
        ),
        elsewhere=tuple(replace(one, conclusion=LEFT_OUT) for one in found.elsewhere),
    )  # fmt: skip


def _named(ref: EntityRef, name: str, rules: AnonymityRules) -> Iterator[tuple[str, str]]:
    own = name.rpartition("/")[2]
    if ref.kind in rules.names:
        yield rules.names[ref.kind], name
    elif ref.kind in rules.parts and not rules.keeps_part(ref.kind, own):
        yield ref.kind, own


def _values_of(value: Any) -> Iterator[Any]:
    """Yield a value and all values within it."""
    if is_dataclass(value):
        yield value
        for one in fields(value):
            yield from _values_of(getattr(value, one.name))
    elif isinstance(value, tuple | list):
        for inside in value:
            yield from _values_of(inside)
