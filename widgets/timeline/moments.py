"""Positions of the texts of events and marks in their lane, and the mark under the mouse. No widget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from resources.foreign_text import shown
from sessions.model import Event, Mark
from viewmodels.axis_events import AxisEvent
from widgets.timeline import geometry as at
from widgets.timeline.geometry import Scale

_MAX_TEXT = 40
_NEAR = 5
_GAP = 12
_BESIDE = 4
_LONG = 24
"""Pixels from which on an event's bar is seen as one."""


@dataclass(frozen=True, slots=True)
class Label:
    """The text of an event or mark that has room, from ``left`` to ``right`` in pixels."""

    of: AxisEvent
    text: str
    left: float
    right: float

    def touches(self, other: Label) -> bool:
        """Return True if the two labels overlap or are too close."""
        return self.left < other.right + _GAP and other.left < self.right + _GAP


def labels(
    marks: Iterable[AxisEvent], events: Iterable[AxisEvent], scale: Scale, width_of: Callable[[str], float]
) -> Iterator[Label]:
    """Yield the labels that fit: marks first, then events that last and are seen to, the longest first, then
    other events. Marks and events must be ordered by time.

    A text is to the right of its line, or to the left at the end of the lane: in a recording, a new mark is
    always near the end. ``width_of`` returns a text's width in pixels.
    """
    of_marks = list(_fitting(marks, "⚑ ", (), scale, width_of))
    yield from of_marks
    taken, others = of_marks, []
    long: list[tuple[float, AxisEvent]] = []
    for one in events:
        width = _width(one, scale)
        if width >= _LONG:
            long.append((-width, one))
        else:
            others.append(one)
    for _, one in sorted(long, key=lambda pair: pair[0]):
        fitting = list(_fitting([one], "", taken, scale, width_of))
        yield from fitting
        taken = [*taken, *fitting]
    yield from _fitting(others, "", taken, scale, width_of)


def _width(one: AxisEvent, scale: Scale) -> float:
    """How many pixels an event lasts; 0 for an instant."""
    end = one.end if isinstance(one, Event) else None
    return 0.0 if end is None else scale.x_within(end) - scale.x_within(one.at)


def _fitting(
    moments: Iterable[AxisEvent],
    sign: str,
    taken: Sequence[Label],
    scale: Scale,
    width_of: Callable[[str], float],
) -> Iterator[Label]:
    free = float(at.GUTTER)
    for one in moments:
        x = scale.x_within(one.at)
        if x + _BESIDE < free:
            continue
        text = sign + shown(one.text, _MAX_TEXT)
        width = width_of(text)
        left = x + _BESIDE if x + width <= scale.width else x - _BESIDE - width
        label = Label(one, text, left, left + width)
        if left < free or any(label.touches(other) for other in taken):
            continue
        free = label.right + _GAP
        yield label


def mark_at(labels_: Sequence[Label], marks: Sequence[Mark], scale: Scale, x: float) -> Mark | None:
    """Return the mark at the pixel column ``x`` of the lane: by its line, else by its text."""
    near = [one for one in marks if abs(scale.x_within(one.at) - x) <= _NEAR]
    if near:
        return min(near, key=lambda one: abs(scale.x_within(one.at) - x))
    labelled = labelled_at(labels_, x)
    return labelled if isinstance(labelled, Mark) else None


def labelled_at(labels_: Sequence[Label], x: float) -> AxisEvent | None:
    """Return the event or mark whose text is at the pixel column ``x``."""
    return next((one.of for one in labels_ if one.left - 4 <= x <= one.right + 4), None)


def neighbour(marks: Sequence[Mark], chosen: Mark | None, step: int, now: int) -> Mark | None:
    """Return the mark after (``step`` 1) or before (−1) ``chosen``, or after or before the time ``now`` (ms).

    The result is None without marks.
    """
    ordered = sorted(marks, key=lambda one: (one.at, one.text))
    if not ordered:
        return None
    if chosen in ordered:
        return ordered[min(max(ordered.index(chosen) + step, 0), len(ordered) - 1)]
    beyond = [one for one in ordered if (one.at - now) * step >= 0]
    return (beyond or ordered)[0 if step > 0 else -1]


def successor(gone: Mark, before: Sequence[Mark], now: Sequence[Mark]) -> Mark | None:
    """Return the mark that replaced ``gone`` when its note was changed; None if the mark was removed.

    ``before`` and ``now`` are the marks of the session before and after the change.
    """
    return next((mark for mark in now if mark.at == gone.at and mark not in before), None)
