"""What a process that judges a session tells the window: one JSON document a line, typed for both ends.

The events are {"event": "judged", …}, with everything that a ``Diagnosis`` has, and {"event": "failed", …}.
Which entities were judged is sent only when it differs from the event before.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from diagnosis.engine import Check, Diagnosis
from resources.catalogue import Counter
from resources.failures import HyperscopeError, UsageError
from sessions.findings import Finding
from sessions.model import EntityRef
from sessions.times import TimeRange
from sessions.verdicts import NOT_JUDGED, EntityReach, Verdict

MAX_EVENT_BYTES = 1 << 26
"""A verdict on 20,000 entities takes 2 MB; a line that is longer than this is no event."""

_Index = Annotated[int, msgspec.Meta(ge=0, le=1 << 24)]


class Reached(msgspec.Struct, frozen=True, array_like=True):
    """What was judged of one entity: ``problems`` of ``of``, up to the time number ``to`` of the event."""

    entity: EntityRef
    to: _Index
    problems: _Index
    of: _Index


class Judged(msgspec.Struct, frozen=True, tag_field="event", tag="judged"):
    """One diagnosis. ``reached`` None means: the same entities as in the event before, to other times."""

    window: TimeRange | None = None
    findings: tuple[Finding, ...] = ()
    checks: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()
    verdict: Verdict = NOT_JUDGED
    times: tuple[int, ...] = ()
    reached: tuple[Reached, ...] | None = None


class Failed(msgspec.Struct, frozen=True, tag_field="event", tag="failed"):
    """The session can't be judged any further: the parts of a ``HyperscopeError``. The last event."""

    happened: str = ""
    meaning: str = ""
    advice: str = ""

    @classmethod
    def of(cls, error: HyperscopeError) -> Failed:
        """Return the event for a failure."""
        return cls(error.happened, error.meaning, error.advice)

    def error(self) -> HyperscopeError:
        """Return the failure, of the general kind."""
        return HyperscopeError(self.happened, meaning=self.meaning, advice=self.advice)


Event = Judged | Failed

_DECODER = msgspec.json.Decoder(Judged | Failed)


def encode(event: Event) -> bytes:
    """Return the line of an event, without line ends inside."""
    return msgspec.json.encode(event) + b"\n"


def read_event(line: bytes) -> Event:
    """Parse a line. Raises UsageError, which never repeats the line."""
    try:
        event: Event = _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise UsageError("A line from the process that judges is no event.") from error
    return event


class Sender:
    """Turns diagnoses into events, each knowing what the one before said."""

    def __init__(self) -> None:
        self._reached: tuple[Reached, ...] | None = None

    def event(self, found: Diagnosis) -> Judged:
        """Return the event of a diagnosis."""
        times = sorted({one.to for one in found.reach.values()})
        number = {to: at for at, to in enumerate(times)}
        reached = tuple(
            Reached(ref, number[one.to], one.problems, one.of) for ref, one in found.reach.items()
        )
        same, self._reached = reached == self._reached, reached
        return Judged(
            found.window, found.findings, found.checks, found.notes, found.verdict, tuple(times),
            None if same else reached,
        )  # fmt: skip


class Receiver:
    """Turns events back into diagnoses. ``counters`` are those that findings may name, by key."""

    def __init__(self, counters: dict[str, Counter]) -> None:
        self._counters = counters
        self._reached: tuple[Reached, ...] = ()

    def diagnosis(self, event: Judged) -> Diagnosis:
        """Return the diagnosis of an event. Raises UsageError for one that names a time it has not."""
        if event.reached is not None:
            self._reached = event.reached
        try:
            reach = {
                one.entity: EntityReach(event.times[one.to], one.problems, one.of) for one in self._reached
            }
        except IndexError as error:
            raise UsageError("A verdict names a time that it does not have.") from error
        return Diagnosis(
            event.window, event.findings, event.checks, event.notes, self._counters, event.verdict, reach
        )
