"""The gallery of tests as values: what each card says, in groups by the question that an admin asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Level = Literal[0, 1, 2, 3]
"""The safety class of a test, D0 to D3 (tests.md §0.4); a class includes those below it."""

Readiness = Literal["ready", "missing", "impossible"]
"""``missing``: something is lacking that can be mended; ``impossible``: this environment can't do it."""

Outcome = Literal["good", "doubtful", "undecided", "bad"]
"""What the last run came to: ``doubtful`` for one that was stopped, ``undecided`` for one without a
verdict.
"""

LEVEL_WORDS: dict[Level, str] = {0: "reads only", 1: "settings", 2: "load", 3: "overwrites"}
LEVEL_MEANINGS: dict[Level, str] = {
    0: "looks only",
    1: "changes, all undone",
    2: "others may feel it; guards stop it",
    3: "overwrites test disks; you type their name",
}


@dataclass(frozen=True, slots=True)
class LastRun:
    """The last run of a test: its result in a few words, when it was (ms), and the run's id."""

    outcome: Outcome
    text: str
    at: int
    run: str


@dataclass(frozen=True, slots=True)
class TestCard:
    """A card of the gallery.

    ``levels`` are its safety classes, the highest last. ``cost`` is how long it takes and what it writes,
    ``risk`` what it changes and who may feel it. ``here`` says whether it works here: what it would use,
    what is lacking, or why it can't. ``running`` is the phase of a run that goes on now, empty for none.
    ``button`` is what its button says.
    """

    __test__ = False  # pytest: this is none of its tests

    id: str
    title: str
    question: str
    levels: tuple[Level, ...]
    cost: str
    risk: str
    readiness: Readiness
    here: str
    last: LastRun | None = None
    running: str = ""
    button: str = "Set up…"

    @property
    def level(self) -> Level:
        """The highest safety class."""
        return self.levels[-1]

    def has(self, text: str) -> bool:
        """Return True if every word of ``text`` is in the card's title, question or safety class."""
        words = f"{self.title} {self.question} {self.id} D{self.level} {LEVEL_WORDS[self.level]}".casefold()
        return all(word in words for word in text.casefold().split())


@dataclass(frozen=True, slots=True)
class CardGroup:
    """Cards that answer one question; ``hint`` is a remark beside it."""

    question: str
    cards: tuple[TestCard, ...]
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A run that did not end by itself, or ``has_ended`` without putting everything back: the sentence on the
    bar above the cards.
    """

    run: str
    title: str
    text: str
    can_resume: bool = True
    has_ended: bool = False


CardFilter = Literal["all", "here", "reads"]


def chosen_cards(groups: Sequence[CardGroup], which: CardFilter, text: str) -> list[CardGroup]:
    """Return the groups with the cards that a filter and a typed text leave, without empty groups."""
    kept = [
        CardGroup(
            group.question,
            tuple(one for one in group.cards if _is_in(one, which) and one.has(text)),
            group.hint,
        )
        for group in groups
    ]
    return [group for group in kept if group.cards]


def count_of(groups: Sequence[CardGroup], which: CardFilter) -> int:
    """Return how many cards a filter leaves."""
    return sum(_is_in(one, which) for group in groups for one in group.cards)


def _is_in(card: TestCard, which: CardFilter) -> bool:
    return which == "all" or (card.readiness == "ready" if which == "here" else card.level == 0)
