"""Where the words of events and marks stand in their lane, and which mark is under the mouse. No widget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from widgets.foreign_text import shown
from widgets.timeline import geometry as at
from widgets.timeline.geometry import Scale
from widgets.timeline.model import Moment

_WORDS = 40
_NEAR = 5
_GAP = 12


@dataclass(frozen=True, slots=True)
class Label:
    """A moment whose words have room: from ``left`` to ``right`` in pixels."""

    moment: Moment
    text: str
    left: float
    right: float

    def touches(self, other: Label) -> bool:
        """Whether one would stand in the other, or too near."""
        return self.left < other.right + _GAP and other.left < self.right + _GAP


def labels(moments: Sequence[Moment], scale: Scale, width_of: Callable[[str], float]) -> Iterator[Label]:
    """The words that fit, of marks first, then of events, each from left to right."""
    of_marks: list[Label] = []
    for is_mark in (True, False):
        free = float(at.GUTTER)
        for moment in sorted((one for one in moments if one.is_mark == is_mark), key=lambda one: one.at):
            left = scale.x(moment.at) + 4
            if left < free:
                continue
            text = ("⚑ " if is_mark else "") + shown(moment.text, _WORDS)
            label = Label(moment, text, left, left + width_of(text))
            if label.right - 4 > scale.width or any(label.touches(one) for one in of_marks):
                continue
            free = label.right + _GAP
            if is_mark:
                of_marks.append(label)
            yield label


def mark_at(shown_marks: Sequence[Label], moments: Sequence[Moment], scale: Scale, x: float) -> Moment | None:
    """The mark at a pixel column of the lane: by its line, else by its words."""
    marks = [one for one in moments if one.is_mark and abs(scale.x(one.at) - x) <= _NEAR]
    if marks:
        return min(marks, key=lambda one: abs(scale.x(one.at) - x))
    words = [one.moment for one in shown_marks if one.moment.is_mark and one.left - 4 <= x <= one.right + 4]
    return words[0] if words else None


def neighbour(moments: Sequence[Moment], chosen: Moment | None, step: int, now: int) -> Moment | None:
    """The mark after (``step`` 1) or before (−1) the chosen one, or the time ``now``; None without marks."""
    marks = sorted((one for one in moments if one.is_mark), key=lambda one: (one.at, one.text))
    if not marks:
        return None
    if chosen in marks:
        return marks[min(max(marks.index(chosen) + step, 0), len(marks) - 1)]
    beyond = [one for one in marks if (one.at - now) * step >= 0]
    return (beyond or marks)[0 if step > 0 else -1]


LANE = (at.EVENTS_TOP - 2, at.EVENTS_TOP + at.EVENTS_HEIGHT + 2)
"""From where to where in pixels the lane goes."""
