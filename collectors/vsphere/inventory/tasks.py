"""Tasks of the server, and the one session event (start, end, outcome) that each of them becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from collectors.vsphere.inventory.elements import Element, child, text_at, tidy
from collectors.vsphere.inventory.events import RawEvent, ReportedEvent, chain_id, instant
from collectors.vsphere.inventory.replies import returned
from resources.vcenter_events import EventKnowledge, Meaning
from sessions.model import EntityRef, Event

_MAX_REMEMBERED = 20_000
"""Events, and chains of them, that tasks may belong to."""
_MAX_CHAIN_EVENTS = 100


@dataclass(frozen=True, slots=True)
class RawTask:
    """A task as the server reports it; times in ms. ``id`` names its method, ``end`` is None while it runs.

    ``fault`` is why it failed, empty for success; ``chain`` is the chain id that it shares with its events;
    ``queued`` is when it was requested.
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
    queued: int = 0

    @property
    def event_id(self) -> str:
        """The id of its session event: key and request time, because a host numbers its tasks from 1
        after a restart.
        """
        return f"task/{self.key}/{self.queued}"


def read_tasks(data: bytes) -> list[RawTask]:
    """Parse the reply to ReadNextTasks; tasks without a time are left out."""
    return [task for one in returned(data) if (task := _raw(one)) is not None]


def _raw(one: Element) -> RawTask | None:
    queued = instant(text_at(one, "queueTime"))
    start = instant(text_at(one, "startTime")) or queued
    state, end = text_at(one, "state"), instant(text_at(one, "completeTime"))
    if start is None:
        return None
    is_over = state in ("success", "error")
    fault = ""
    if state == "error":
        fault = text_at(one, "error", "localizedMessage") or _fault_type(one) or state
    return RawTask(
        key=text_at(one, "key"),
        id=text_at(one, "descriptionId"),
        name=text_at(one, "description", "message") or text_at(one, "name").removesuffix("_Task"),
        moid=text_at(one, "entity"),
        entity=unquote(text_at(one, "entityName")),  # as vSphere escapes / \\ and % in names
        user=text_at(one, "reason", "userName"),
        start=start,
        end=max(start, end if end is not None else start) if is_over else None,
        fault=fault,
        chain=chain_id(text_at(one, "eventChainId")),
        queued=start if queued is None else queued,
    )


def _fault_type(one: Element) -> str:
    fault = child(one, "error", "fault")
    name = "" if fault is None else str(fault.get("{http://www.w3.org/2001/XMLSchema-instance}type") or "")
    return name.rpartition(":")[2]


@dataclass(frozen=True, slots=True)
class TaskEvents:
    """New events of tasks. ``reported``: which changes of the inventory these tasks explain."""

    events: tuple[Event, ...] = ()
    reported: tuple[ReportedEvent, ...] = ()


@dataclass(slots=True)
class TaskChain:
    """The events of one task: the last of each entity and kind, and whether one of them reports a failure."""

    failed: bool = False
    last: dict[tuple[EntityRef | None, str], Event] = field(default_factory=dict)

    def add(self, event: Event, *, failed: bool) -> None:
        """Add an event; the oldest events of a very long chain are dropped."""
        self.failed = self.failed or failed
        self.last.pop((event.entity, event.kind), None)
        self.last[event.entity, event.kind] = event
        if len(self.last) > _MAX_CHAIN_EVENTS:
            del self.last[next(iter(self.last))]

    def outcome_event(self, ref: EntityRef | None, kind: str) -> Event | None:
        """Return the event that stands for the task: the last one of entity ``ref``, preferably
        of this ``kind``.

        Events of other entities do not count (a host that enters maintenance mode moves VMs), unless the
        task's own object has no entity (a datacenter that powers on VMs).
        """
        own = [event for event in reversed(self.last.values()) if ref is None or event.entity == ref]
        return next((event for event in own if event.kind == kind), own[0] if own else None)


@dataclass(slots=True)
class TaskBook:
    """Turns tasks into events with start and end.

    A task whose own events were recorded gets no event of its own: the last of these is recorded again with
    the task's start and end. An ended task waits a while for its events. A task that began before ``since``
    (ms) is recorded only when it ends.
    """

    known: EventKnowledge
    label: Callable[[RawTask], str]
    since: int = 0
    _begun: set[str] = field(default_factory=set)
    _waiting: list[tuple[int, RawTask]] = field(default_factory=list)
    _chains: dict[str, TaskChain] = field(default_factory=dict)
    _recent_events: list[Event] = field(default_factory=list)

    def take_events(self, reported: Iterable[tuple[RawEvent, ReportedEvent]]) -> None:
        """Remember events that were recorded, so that a task's last event can carry its start and end."""
        for raw, one in reported:
            if raw.chain:
                chain = self._chains.pop(raw.chain) if raw.chain in self._chains else TaskChain()
                chain.add(one.event, failed=self.known.failures.fullmatch(raw.type) is not None)
                self._chains[raw.chain] = chain  # the newest last
            self._recent_events.append(one.event)
        for name in list(self._chains)[: max(0, len(self._chains) - _MAX_REMEMBERED)]:
            del self._chains[name]
        self._recent_events = self._recent_events[-_MAX_REMEMBERED:]

    def take(
        self, tasks: Iterable[RawTask], now: int, ref_of: Callable[[str], EntityRef | None]
    ) -> TaskEvents:
        """Take over the tasks as of ``now`` (ms, server's clock); return their new events."""
        events: list[Event] = []
        reported: list[ReportedEvent] = []
        for task in tasks:
            meaning, ref = self.known.tasks.get(task.id), ref_of(task.moid)
            if meaning is None and ref is None:
                continue
            reported += self._reported(task, meaning, ref, now)
            if task.end is not None:
                self._waiting.append((now, task))
            elif (
                now - task.start >= self.known.task_texts.long_s * 1000
                and self._outcome_event(task, ref) is None
            ):
                events += self._begin(task, ref)
        return TaskEvents(tuple(events), tuple(reported))

    def due(
        self, now: int, ref_of: Callable[[str], EntityRef | None], *, at_once: bool = False
    ) -> list[Event]:
        """Return ended tasks as events with start and end: an own event where no recorded one
        stands for the task.
        """
        wait = self.known.pairing.wait_s * 1000
        over = [task for since, task in self._waiting if at_once or not 0 <= now - since < wait]
        self._waiting = [one for one in self._waiting if not at_once and 0 <= now - one[0] < wait]
        events = [self._over(task, ref_of(task.moid)) for task in over]
        self._begun.difference_update(task.key for task in over)
        return events

    def _reported(
        self, task: RawTask, meaning: Meaning | None, ref: EntityRef | None, now: int
    ) -> list[ReportedEvent]:
        """A task tells of its change while it runs, and when it ended well."""
        if meaning is None or not meaning.changed_fact or ref is None or task.fault:
            return []
        at = now if task.end is None else task.end
        about = "" if task.end is None else task.moid
        return [
            ReportedEvent(Event(at, meaning.kind, "", ref), meaning.changed_fact, frozenset((ref,)), about)
        ]

    def _outcome_event(self, task: RawTask, ref: EntityRef | None) -> Event | None:
        """The event that speaks for the task: of its chain; without one the nearest of its kind."""
        if task.chain:
            chain = self._chains.get(task.chain)
            if chain is None or (task.fault and not chain.failed):
                return None
            return chain.outcome_event(ref, self._kind(task))
        if task.fault:
            return None
        within = self.known.pairing.within_s * 1000
        end = task.start if task.end is None else task.end
        near = (
            event
            for event in self._recent_events
            if task.start - within <= event.at <= end + within
            and (event.entity, event.kind) == (ref, self._kind(task))
        )
        return min(near, key=lambda event: abs(event.at - end), default=None)

    def _begin(self, task: RawTask, ref: EntityRef | None) -> list[Event]:
        if task.key in self._begun or task.start < self.since:
            return []
        self._begun.add(task.key)
        return [self._event(task, ref, self.known.task_texts.started)]

    def _over(self, task: RawTask, ref: EntityRef | None) -> Event:
        event = self._outcome_event(task, ref)
        if event is not None and task.key not in self._begun:
            by = event.by or tidy(task.user, self.known.text.clip)
            return replace(event, at=task.start, end=task.end, by=by)
        return self._event(
            task, ref, self.known.task_texts.error if task.fault else self.known.task_texts.success
        )

    def _event(self, task: RawTask, ref: EntityRef | None, text: str) -> Event:
        limit = self.known.text.clip
        texts = {"task": self.label(task), "name": task.entity, "fault": task.fault}
        plain = {name: tidy(value, limit) for name, value in texts.items()}
        message = tidy(text.format(**plain), limit)
        name, by = tidy(task.event_id, limit), tidy(task.user, limit)
        return Event(task.start, self._kind(task), message, ref, task.end, name, by)

    def _kind(self, task: RawTask) -> str:
        meaning = self.known.tasks.get(task.id)
        kind = meaning.kind if meaning else "task"
        return "backup" if kind == "snapshot" and self.known.is_backup(user=task.user) else kind
