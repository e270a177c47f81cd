"""Which true problems a recording can be asked for, and what may be said of the others.

A coarse or plain recording can't show everything that goes on. The rule, the same for every card:

* **Time.** A problem shows in samples that stand for nothing else. It is asked for if the samples that lie
  wholly within one spell of it (all of it; one burst of those that come back) are at least two, and last as
  long together as its card's quickest rule asks: one alone may be a moment that its interval spreads. So a
  spell of 90 s is not asked of samples of 60 s, one of 15 minutes is asked of samples of 300 s. The ramp of
  what was injected is no part of the spell. A state that is a problem in any sample must be seen in one.
* **Counters.** A problem is not asked for if its check lacks counters that this recording really has not (a
  plain capture, a vCenter's rollups of level 1; never a recording with all counters), and says who has them.
  A problem of a VM may then be told of its host, which still has such counters.
* **Causes.** Where counters lack the first cause may be unknown, but no other one may be called likely.
* What is found all the same counts as found, and a false alarm is one in every recording.
* **What is not asked for is no all-clear.** Its check must be "insufficient data" (or "not applicable"),
  with who would show it, where counters lack; and must say how long a problem had to last to be seen, or
  "suspected", where samples are too coarse. "Not found" without that is a wrong verdict. "Suspected" from a
  lone coarse sample is right either way: it asks for finer ones.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchmarks.judging import is_found
from benchmarks.shown import Shown
from diagnosis import Diagnosis
from lab import Allowed, GroundTruth, Truth
from resources.problem_cards import Card, Problems
from sessions.model import FloatArray, SampleSource
from sessions.verdicts import CheckReach

_SLACK = 0.3
"""Of an interval: three samples 19.9 s apart are a minute, as the cards' rules take it."""
_SOURCES = ("esxtop", "vCenter")


@dataclass(frozen=True, slots=True)
class Hidden:
    """A true problem that is not asked for, because it is too short for the samples, or for lack of
    counters.
    """

    truth: Truth
    why: Literal["short", "counters"]

    def is_said(self, check: CheckReach) -> bool:
        """Return True if its check is no all-clear, and says why."""
        if check.verdict in ("problem", "suspected"):
            return True
        if self.why == "counters":
            return says_who_would_show(check)
        return check.verdict != "not found" or check.unseen_s > spell_of(self.truth)


@dataclass(frozen=True, slots=True)
class Asked:
    """The true problems that are asked for, with what may be found beside them; and those that are not."""

    truth: GroundTruth
    hidden: tuple[Hidden, ...] = ()


def ask(
    truth: GroundTruth,
    shown: Shown,
    session: SampleSource,
    problems: Problems,
    diagnosis: Diagnosis,
    origin_ms: int,
) -> Asked:
    """Divide the true problems of a run by what its recording can show.

    ``origin_ms`` is the session time of the scenario's start.
    """
    cards = {card.id: card for card in problems.cards}
    ends = (session.times(session.sources()[0].id) - origin_ms) / 1000.0
    recorded = {one.counter for one in session.series()}
    asked, hidden = [], []
    for one in truth.truth:
        holds = _holds(cards[one.problem], problems, one.kind)
        if is_found(one, diagnosis.findings, origin_ms, shown.interval_s):
            asked.append(one)
        elif not shows_in_time(one, ends, float(shown.interval_s), holds):
            hidden.append(Hidden(one, "short"))
        elif not shown.has_all_counters and _lacks_counters(one.problem, diagnosis, recorded):
            hidden.append(Hidden(one, "counters"))
        else:
            asked.append(one)
    unasked = (Allowed(each, frozenset({one.truth.name})) for one in hidden for each in one.truth.problems)
    allowed = (*truth.also, *unasked)
    if not shown.has_all_counters:
        allowed = tuple(_with_hosts(allowed, session))
    return Asked(GroundTruth(tuple(asked), allowed), tuple(hidden))


def shows_in_time(truth: Truth, ends: FloatArray, interval_s: float, holds: Sequence[float]) -> bool:
    """Return True if samples that end at ``ends`` (s of lab time) show a problem that must last one of
    ``holds`` seconds; without any it is no matter of time.
    """
    if not holds:
        return True
    spell = spell_of(truth)
    least = min(2 if hold else 1 for hold in holds)
    if truth.returns:
        return math.floor(spell / interval_s + _SLACK) > least
    whole = int(np.count_nonzero((ends - interval_s >= truth.end_s - spell) & (ends <= truth.end_s)))
    return whole >= least and whole * interval_s >= min(holds) - _SLACK * interval_s


def spell_of(truth: Truth) -> float:
    """Return how many seconds the problem lasts at once, with full strength."""
    return truth.end_s - truth.start_s if truth.spell_s is None else truth.spell_s


def says_who_would_show(check: CheckReach) -> bool:
    """Return True if a check that judged nothing, or only in part, names a source that would show more."""
    if check.verdict == "not applicable":
        return bool(check.shown_by)
    return any(name in check.reason for name in _SOURCES)


def _holds(card: Card, problems: Problems, kind: str) -> list[float]:
    return [problems.sustained[rule.sustained].warning.hold_s for rule in card.rules if rule.entity == kind]


def _with_hosts(allowed: Sequence[Allowed], session: SampleSource) -> list[Allowed]:
    """Return what may be found, of the hosts of the VMs that it may be found on, too."""
    entities = session.entities()
    hosts: dict[str, str] = {}
    for one in entities.values():
        above = entities.get(one.parent) if one.ref.kind == "vm" and one.parent is not None else None
        if above is not None and above.ref.kind == "host":
            hosts[one.name] = above.name
    return [
        Allowed(one.problem, one.names | {hosts[name] for name in one.names if name in hosts})
        for one in allowed
    ]


def _lacks_counters(problem: str, diagnosis: Diagnosis, recorded: Collection[str]) -> bool:
    """Return True if the check of a problem lacks counters that were not recorded, and says who has them."""
    lacking = next((set(one.lacking) for one in diagnosis.checks if one.problem == problem), set[str]())
    reach = next((one for one in diagnosis.verdict.checks if one.problem == problem), None)
    if reach is None or not says_who_would_show(reach):
        return False
    is_in_part = not lacking and reach.is_partial
    return reach.verdict == "not applicable" or is_in_part or (bool(lacking) and lacking.isdisjoint(recorded))
