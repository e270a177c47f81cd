"""Tasks: what the server tells of them, and what a session makes of it: start, end and outcome, each once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from urllib.parse import unquote

from collectors.vsphere.inventory.elements import Element, child, said, tidy
from collectors.vsphere.inventory.happenings import Heard, RawEvent, chain_of, instant
from collectors.vsphere.inventory.replies import returned
from resources.units import format_duration
from resources.vcenter_events import EventKnowledge, Meaning
from sessions.model import EntityRef, Event, Fact

_REMEMBERED = 20_000
"""Chains of events that tasks may belong to."""


@dataclass(frozen=True, slots=True)
class RawTask:
    """A task as the server tells it: ``id`` is its method, ``end`` None while it runs; times in ms.

    ``fault`` is why it failed, empty for success; ``chain`` what it has in common with its events.
    """

    key: str
    id: str
    name: str
    moid: str
    entity: str
    user: str
    start: int
    end: int | None
    fault: str
    chain: str = ""


def read_tasks(data: bytes) -> list[RawTask]:
    """The reply to ReadNextTasks; tasks without a time are left out."""
    return [task for one in returned(data) if (task := _raw(one)) is not None]


def _raw(one: Element) -> RawTask | None:
    start = instant(said(one, "startTime")) or instant(said(one, "queueTime"))
    state, end = said(one, "state"), instant(said(one, "completeTime"))
    if start is None:
        return None
    is_over = state in ("success", "error")
    fault = ""
    if state == "error":
        fault = said(one, "error", "localizedMessage") or _fault_type(one) or state
    return RawTask(
        key=said(one, "key"),
        id=said(one, "descriptionId"),
        name=said(one, "description", "message") or said(one, "name").removesuffix("_Task"),
        moid=said(one, "entity"),
        entity=unquote(said(one, "entityName")),  # as vSphere escapes / \\ and % in names
        user=said(one, "reason", "userName"),
        start=start,
        end=max(start, end if end is not None else start) if is_over else None,
        fault=fault,
        chain=chain_of(said(one, "eventChainId")),
    )


def _fault_type(one: Element) -> str:
    fault = child(one, "error", "fault")
    name = "" if fault is None else str(fault.get("{http://www.w3.org/2001/XMLSchema-instance}type") or "")
    return name.rpartition(":")[2]


@dataclass(frozen=True, slots=True)
class TaskNews:
    """What tasks come to now. ``heard``: which changes of the inventory they explain."""

    facts: tuple[Fact, ...] = ()
    events: tuple[Event, ...] = ()
    heard: tuple[Heard, ...] = ()


@dataclass(slots=True)
class TaskBook:
    """Tasks become facts with start and end, ``task.KIND`` of their entity, and events.

    A task whose events were heard needs none of its own; one that ended waits for them a while. What began
    before ``since`` (ms) is told by its end only.
    """

    known: EventKnowledge
    label: Callable[[RawTask], str]
    since: int = 0
    _open: set[str] = field(default_factory=set)
    _begun: set[str] = field(default_factory=set)
    _waiting: list[tuple[int, RawTask]] = field(default_factory=list)
    _chains: dict[str, bool] = field(default_factory=dict)
    _lately: list[tuple[int, EntityRef | None, str]] = field(default_factory=list)

    def hear(self, heard: Iterable[tuple[RawEvent, Heard]]) -> None:
        """Events that the session has got."""
        for raw, one in heard:
            if raw.chain:
                failed = self.known.failures.fullmatch(raw.type) is not None
                self._chains[raw.chain] = failed or self._chains.pop(raw.chain, False)
            self._lately.append((one.event.at, one.event.entity, one.event.kind))
        for chain in list(self._chains)[: max(0, len(self._chains) - _REMEMBERED)]:
            del self._chains[chain]
        self._lately = self._lately[-_REMEMBERED:]

    def take(self, tasks: Iterable[RawTask], now: int, ref_of: Callable[[str], EntityRef | None]) -> TaskNews:
        """What to say of tasks as they are at ``now`` (ms, server's clock)."""
        facts: list[Fact] = []
        events: list[Event] = []
        heard: list[Heard] = []
        for task in tasks:
            meaning, ref = self.known.tasks.get(task.id), ref_of(task.moid)
            if meaning is None and ref is None:
                continue
            facts += self._facts(task, ref)
            heard += self._heard(task, meaning, ref, now)
            if task.end is not None:
                self._waiting.append((now, task))
            elif now - task.start >= self.known.words.long_s * 1000 and not self._is_covered(task, ref):
                events += self._begin(task, ref)
        return TaskNews(tuple(facts), tuple(events), tuple(heard))

    def due(
        self, now: int, ref_of: Callable[[str], EntityRef | None], *, at_once: bool = False
    ) -> list[Event]:
        """Events of tasks that ended and whose own events did not come in time."""
        wait = self.known.pairing.wait_s * 1000
        over = [task for since, task in self._waiting if at_once or not 0 <= now - since < wait]
        self._waiting = [one for one in self._waiting if not at_once and 0 <= now - one[0] < wait]
        events: list[Event] = []
        for task in over:
            ref = ref_of(task.moid)
            if not self._is_covered(task, ref):
                events += self._end(task, ref)
            self._begun.discard(task.key)
        return events

    def _facts(self, task: RawTask, ref: EntityRef | None) -> list[Fact]:
        if ref is None:
            return []
        if task.end is None:
            if task.key in self._open:
                return []
            self._open.add(task.key)
        else:
            self._open.discard(task.key)
        outcome = "" if task.end is None else f": error: {task.fault}" if task.fault else ": success"
        said = tidy(self.label(task) + outcome, self.known.text.clip)
        return [Fact(ref, f"task.{self._kind(task)}", said, task.start, task.end)]

    def _heard(self, task: RawTask, meaning: Meaning | None, ref: EntityRef | None, now: int) -> list[Heard]:
        """A task tells of its change while it runs, and when it ended well."""
        if meaning is None or not meaning.tells or ref is None or task.fault:
            return []
        at = now if task.end is None else task.end
        about = "" if task.end is None else task.moid
        return [Heard(Event(at, meaning.kind, "", ref), meaning.tells, frozenset((ref,)), about)]

    def _is_covered(self, task: RawTask, ref: EntityRef | None) -> bool:
        if task.chain:
            failed = self._chains.get(task.chain)
            return failed is not None and (failed or not task.fault)
        within = self.known.pairing.within_s * 1000
        end = task.start if task.end is None else task.end
        return not task.fault and any(
            task.start - within <= at <= end + within and (entity, kind) == (ref, self._kind(task))
            for at, entity, kind in self._lately
        )

    def _begin(self, task: RawTask, ref: EntityRef | None) -> list[Event]:
        if task.key in self._begun or task.start < self.since:
            return []
        self._begun.add(task.key)
        return [self._event(task, ref, task.start, self.known.words.started)]

    def _end(self, task: RawTask, ref: EntityRef | None) -> list[Event]:
        assert task.end is not None
        text = self.known.words.error if task.fault else self.known.words.success
        if task.end - task.start < self.known.words.long_s * 1000:
            return [self._event(task, ref, task.start, text)]
        return [*self._begin(task, ref), self._event(task, ref, task.end, text)]

    def _event(self, task: RawTask, ref: EntityRef | None, at: int, text: str) -> Event:
        took = format_duration(max(0, (task.end or task.start) - task.start) / 1000)
        limit = self.known.text.clip
        words = {"task": self.label(task), "name": task.entity, "fault": task.fault}
        plain = {name: tidy(word, limit) for name, word in words.items()}
        return Event(at, self._kind(task), tidy(text.format(took=took, **plain), limit), ref)

    def _kind(self, task: RawTask) -> str:
        meaning = self.known.tasks.get(task.id)
        kind = meaning.kind if meaning else "task"
        return "backup" if kind == "snapshot" and self.known.is_backup(user=task.user) else kind
