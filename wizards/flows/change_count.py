"""Counts what a run changed as its plan counts it, whatever it took to change it and to put it back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from resources.units import format_count
from sessions.journal import JournalEntry

_FOLDER = "folder"
_WORST = ("back", "left", "open")


@dataclass(frozen=True, slots=True)
class ChangeCount:
    """How many things a run changed: all, those that are as they were, that somebody else's value was left
    in, and that may still be as the run set them.
    """

    all: int
    back: int
    left: int
    open: int

    @property
    def still(self) -> int:
        """Those that are not as they were."""
        return self.left + self.open


def count_changes(entries: Iterable[JournalEntry]) -> ChangeCount:
    """Count what a run changed as its plan counts it (``costs.Cost.changes``): a setting of an object once,
    however often it is set and put back from phase to phase, and all that is left in a guest as one folder.
    """
    found: dict[tuple[object, ...], str] = {}
    for one in entries:
        # A guest's folder has its path as the id; the way through VMware Tools leaves a second one beside it.
        of = one.object.name if one.setting == _FOLDER else one.object.id
        key = (one.object.source, one.object.kind, of, one.setting)
        state = "open" if one.is_open else "left" if one.state == "left" else "back"
        found[key] = max(found.get(key, state), state, key=_WORST.index)
    states = list(found.values())
    return ChangeCount(len(states), *(states.count(one) for one in _WORST))


def count_of_run(run: str, journal: Iterable[JournalEntry]) -> ChangeCount:
    """Count the changes of the run with that id among all changes of a session."""
    return count_changes(one for one in journal if one.run == run)


def left_words(count: ChangeCount) -> str:
    """Return how many changes are not as they were: ``2 of 30 changes are not put back``; empty if all are.

    Where somebody else changed all of them meanwhile there is nothing to put back: they are said to be left.
    """
    if not count.still:
        return ""
    of = f"{format_count(count.still)} of {format_count(count.all)} change{'' if count.all == 1 else 's'}"
    is_ = "is" if count.still == 1 else "are"
    return f"{of} {is_} {'not put back' if count.open else 'left as somebody else set it'}"
