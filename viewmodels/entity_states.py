"""The state of every entity as its symbol shows it, and the sentences that say why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from resources.foreign_text import shown
from resources.problem_cards import Problems
from resources.units import format_count
from sessions.findings import Finding
from sessions.model import EntityRef
from sessions.problem_areas import OF_ALL_AREAS
from sessions.verdict_wording import TimeText, entity_text, unjudged_areas_text
from sessions.verdicts import NOT_JUDGED, EntityReach, Verdict
from viewmodels.finding_order import identity
from viewmodels.health import PASSED_ON, RANK, Health, Symbol
from viewmodels.last_values import CURRENT_FOR
from viewmodels.limit_check import OverLimit, over_sentence, patience_sentence
from viewmodels.shared_devices import hosts_that_see
from viewmodels.snapshot import USUAL_INTERVAL_S, Snapshot

PARTS = frozenset({"vcpu", "vdisk", "port", "world"})
"""Kinds of entities that are judged with the VM that they are a part of."""

_CONTAINERS = frozenset({"vcenter", "cluster", "pool"})
_NAMED = 4
_IS: dict[Health, str] = {
    "critical": "is critical",
    "warning": "has a problem",
    "was critical": "was critical",
    "was warning": "had a problem",
}
_PLACES = {"device": ", which it uses,", "datastore": ", which it uses,"}


@dataclass(frozen=True, slots=True)
class Judged:
    """What diagnosis says of a session: its findings, how far they reach, and how much of each entity."""

    findings: Sequence[Finding] = ()
    verdict: Verdict = NOT_JUDGED
    reach: Mapping[EntityRef, EntityReach] = field(default_factory=dict)


class EntityStates:
    """The states at one ``moment`` (ms; None: whenever), the time that the numbers beside the symbols are of.

    ``over`` are the entities whose number exceeds its limit. An entity is ``ok`` only if it was judged, and
    nothing was found, and its number is within its limit; hosts and VMs are ``partly`` where nothing at all
    was judged of whole areas.
    """

    def __init__(
        self,
        judged: Judged,
        snapshot: Snapshot,
        problems: Problems,
        *,
        moment: int | None = None,
        over: Mapping[EntityRef, OverLimit] | None = None,
    ) -> None:
        self._judged, self._snapshot, self._problems = judged, snapshot, problems
        self._over = over or {}
        to = judged.verdict.judged_to
        self._moment = moment if moment is None or to is None else min(moment, to)
        self._in_part = OF_ALL_AREAS if judged.verdict.unjudged_areas else frozenset()
        self._clear = _clear_ms(problems)
        self._stale = self._no_longer_judged()
        self._absences = frozenset(card.id for card in problems.cards if card.presence)
        self._kinds = frozenset(rule.entity for card in problems.cards for rule in card.rules)
        self._only = _only_some(problems)
        known = {identity(one) for one in judged.findings}
        self._followers = {identity(one) for one in judged.findings if one.consequence_of in known}
        self._of: dict[EntityRef, list[Finding]] = {}
        for finding in judged.findings:
            self._of.setdefault(finding.entity, []).append(finding)
        self._marked = {ref: self._judge(ref) for ref in {*self._of, *self._over}}
        self._below: dict[EntityRef, list[EntityRef]] = {}
        for ref, health in self._marked.items():
            if health in PASSED_ON:
                for above in self._above(ref):
                    self._below.setdefault(above, []).append(ref)

    @property
    def symbols(self) -> Mapping[EntityRef, Symbol]:
        """The symbols of entities with a finding, with a number over its limit, with a problem below them, or
        judged in part.

        All others are ``ok`` if they were judged, else ``none``.
        """
        found = {ref: Symbol("partly") for ref in self.judged if self._unmarked(ref) == "partly"}
        found |= {ref: Symbol(health) for ref, health in self._marked.items()}
        for ref, below in self._below.items():
            worst = max((self._marked[one] for one in below), key=RANK.__getitem__)
            if RANK[worst] > RANK[self.health(ref)]:
                found[ref] = Symbol(worst, is_below=True)
        return found

    @property
    def judged(self) -> Collection[EntityRef]:
        """The entities that were judged, up to the moment."""
        reach = self._judged.reach
        return reach.keys() - self._stale if self._stale else reach.keys()

    def health(self, ref: EntityRef) -> Health:
        """Return the state of an entity itself."""
        found = self._marked.get(ref)
        return self._unmarked(ref) if found is None else found

    def why(self, ref: EntityRef, at: TimeText, label: Callable[[str], str]) -> list[str]:
        """Return the sentences behind an entity's symbol; ``label`` gives a counter's display name."""
        lines = [self._finding_line(one, at) for one in self._of.get(ref, ())[:_NAMED]]
        more = len(self._of.get(ref, ())) - _NAMED
        if more > 0:
            lines.append(f"and {format_count(more)} more")
        over = self._over.get(ref)
        if over is not None:
            lines.append(over_sentence(over, label(over.counter)))
            if not any(self._is_now(one) for one in self._of.get(ref, ())):
                lines.append(patience_sentence(over, self._problems))
        lines += self._below_lines(ref)
        return [*lines, self._reach_line(ref, at)]

    def _judge(self, ref: EntityRef) -> Health:
        """Return the state of an entity with a finding, or with a number over its limit."""
        found = [one for one in self._of.get(ref, ()) if one.severity != "info"]
        now = [one for one in found if self._is_now(one)]
        states: list[Health] = []
        for one in found:
            if one.severity == "warning" and identity(one) in self._followers:
                states += ["affected"] if one in now else []
            elif one in now:
                states.append("critical" if one.severity == "critical" else "warning")
            else:
                states.append("was critical" if one.severity == "critical" else "was warning")
        over = self._over.get(ref)
        if over is not None:
            states.append("none" if over.is_idle else "over")
        if states:
            return max(states, key=RANK.__getitem__)
        if any(one.problem in self._absences for one in self._of.get(ref, ())):
            return "none"
        return self._unmarked(ref)

    def _unmarked(self, ref: EntityRef) -> Health:
        if ref in self._judged.reach and ref not in self._stale:
            return "partly" if ref.kind in self._in_part else "ok"
        return "part" if ref.kind in PARTS else "none"

    def _no_longer_judged(self) -> set[EntityRef]:
        """Return what has no samples at the moment any more: of a dead source, of a VM that is off."""
        if self._moment is None:
            return set()
        interval_s = max(self._snapshot.intervals.values(), default=USUAL_INTERVAL_S)
        since = self._moment - round(interval_s * 1000 * CURRENT_FOR)
        return {ref for ref, reach in self._judged.reach.items() if reach.to < since}

    def _is_now(self, finding: Finding) -> bool:
        moment, clear = self._moment, self._clear.get(finding.problem, 0)
        if moment is None:
            return True
        return any(window.start <= moment <= window.end + clear for window in finding.windows)

    def _above(self, ref: EntityRef) -> set[EntityRef]:
        """Return what shows an entity's problem too: its host, the hosts that see it, and their clusters."""
        found: set[EntityRef] = set()
        hosts = {*self._parents(ref), self._snapshot.host_of(ref)}
        if ref.kind in {"device", "datastore"}:
            hosts |= hosts_that_see(ref, self._snapshot, self._of.get(ref, ()))
        for host in hosts:
            if host is not None and host not in found:
                found |= {host, *self._parents(host)}
        return found - {ref}

    def _parents(self, ref: EntityRef) -> list[EntityRef]:
        found: list[EntityRef] = []
        entity = self._snapshot.entities.get(ref)
        while entity is not None and entity.parent is not None and entity.parent not in found:
            found.append(entity.parent)  # a session is untrusted and may hold a circle
            entity = self._snapshot.entities.get(entity.parent)
        return found

    def _finding_line(self, finding: Finding, at: TimeText) -> str:
        when = f" ({', '.join(f'{at(one.start)} to {at(one.end)}' for one in finding.windows[-1:])})"
        before = "Follows from another problem: " if identity(finding) in self._followers else ""
        before = "To know: " if finding.severity == "info" else before
        return f"{before}{finding.title}{when if finding.windows else ''}. {shown(finding.conclusion)}"

    def _below_lines(self, ref: EntityRef) -> list[str]:
        refs = sorted(self._below.get(ref, ()), key=lambda one: -RANK[self._marked[one]])
        lines = [self._below_line(one) for one in refs[:_NAMED]]
        more = len(refs) - _NAMED
        return [*lines, f"and {format_count(more)} more like these."] if more > 0 else lines

    def _below_line(self, ref: EntityRef) -> str:
        """Return ``db-prod on it is critical: Held back by a CPU limit.``"""
        name = shown(self._snapshot.name(ref), 80) + _PLACES.get(ref.kind, " on it")
        title = next((one.title for one in self._of.get(ref, ()) if one.severity != "info"), "")
        return f"{name} {_IS[self._marked[ref]]}: {title}."

    def _reach_line(self, ref: EntityRef, at: TimeText) -> str:
        reach, verdict = self._judged.reach.get(ref), self._judged.verdict
        if reach is None and verdict.is_judged:
            if ref.kind in PARTS:
                return "Judged with the VM that it is a part of."
            if ref.kind in _CONTAINERS:
                return "Judged by what is in it."
            if ref not in self._snapshot.series_of:
                return "Not judged: no samples of it were recorded."
            if ref.kind not in self._kinds:
                return "Not judged: no known problem is looked for here by itself."
        text = entity_text(reach, verdict, at)
        if reach is None and verdict.is_judged and ref.kind in self._only:
            text = f"{text} {self._only[ref.kind]}"
        if reach is not None and ref in self._stale:
            return f"Not judged after {at(reach.to)}: it has had no samples since. {text}"
        return f"{self._all_clear(ref)} {text}".lstrip()

    def _all_clear(self, ref: EntityRef) -> str:
        """Return the all-clear of an entity that is ok at the moment: it denies nothing that is told. Of one
        that was judged in part it is what is not cleared; empty of any other.
        """
        health = self.health(ref)
        if health == "partly":
            return f"Judged in part. {unjudged_areas_text(self._judged.verdict)}"
        if health != "ok":
            return ""
        if any(one.severity != "info" for one in self._of.get(ref, ())):
            return "No problem at this time."
        return "No problem of its own found." if self._below.get(ref) else "No problem found."


def _only_some(problems: Problems) -> Mapping[str, str]:
    """Return the sentence on kinds of entities of which every rule judges only some, by kind."""
    rules = [rule for card in problems.cards for rule in card.rules]
    whole = {rule.entity for rule in rules if rule.only is None}
    return {rule.entity: rule.only.others for rule in rules if rule.only and rule.entity not in whole}


def _clear_ms(problems: Problems) -> Mapping[str, int]:
    """Return how long (ms) each problem must be away before it counts as over, by its id."""
    return {
        card.id: round(
            1000 * max((problems.sustained[rule.sustained].clear_s for rule in card.rules), default=0)
        )
        for card in problems.cards
    }
