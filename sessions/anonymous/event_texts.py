"""Names in the texts of events, each known by its place, and what is said instead of these texts.

Such a text may name what is no entity of the session: a datacenter, a VM that was removed before, a user.
What no form says where its names stand, and is not made of the program's own words, is not said at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from resources.anonymity_rules import is_program_text
from resources.event_forms import LEFT_OUT, EventForms, Piece
from sessions.anonymous.ids import is_id
from sessions.anonymous.pseudonyms import Pseudonyms
from sessions.model import Event

TOLD_IDS = ("event/", "task/", "log:")
"""How the ids of events begin that a server or a log told; the rest of these is no name."""
_BETWEEN = re.compile(r"[\s,;()\[\]{}<>'\"/\\@|=]+")
_TASK = re.compile(r"([^()]+) \((.+)\): (started|success|error)(?:: .*)?", re.DOTALL)
"""How an event tells of a task (resources/vcenter/events.toml). Why one failed is a server's own sentence."""


@dataclass(frozen=True, slots=True)
class EventText:
    """The text of an event in pieces; ``pieces`` is None if nobody knows where names stand in it.

    ``may_be_own``: it may still be a sentence of the program.
    """

    text: str
    plain: str
    pieces: tuple[Piece, ...] | None
    may_be_own: bool = False

    def names(self) -> Iterator[tuple[str, str]]:
        """Yield what is named, and how."""
        yield from ((hole, one) for hole, one in self.pieces or () if hole and hole != LEFT_OUT)

    def anonymous(self, replaced: Callable[[str], str]) -> str:
        """Return what is said instead; ``replaced`` gives what a name is called."""
        if self.pieces is None:
            return self.plain
        kept = (replaced(one) if hole else one for hole, one in self.pieces if hole != LEFT_OUT)
        return "".join(kept).rstrip(" :")


class OwnWords:
    """Tells texts, without names already, of replacements and of the program's own words from others."""

    def __init__(self, pseudonyms: Pseudonyms) -> None:
        self._pseudonyms = pseudonyms

    def are_all_of(self, text: str) -> bool:
        """Return True if a text says nothing else."""
        return all(self._is_own(one.strip(".:")) for one in _BETWEEN.split(text))

    def foreign(self, texts: Iterable[EventText], replaced: Callable[[str], str]) -> dict[str, str]:
        """Return plain sentences for those texts that may be the program's, and are not."""
        return {
            one.text: one.plain for one in texts if one.may_be_own and not self.are_all_of(replaced(one.text))
        }

    def _is_own(self, word: str) -> bool:
        return self._pseudonyms.has_given(word) or is_id(word) or is_program_text(word)


def event_texts(events: Iterable[Event], forms: EventForms) -> list[EventText]:
    """Return the texts of events, each once."""
    found: dict[str, EventText] = {}
    for one in events:
        if one.text and one.text not in found:
            found[one.text] = _event_text(one, forms)
    return list(found.values())


def _event_text(event: Event, forms: EventForms) -> EventText:
    text, plain = event.text, forms.plain_sentence(event.kind)
    if event.id.startswith("task/"):
        pieces: Sequence[Piece] | None = _task(text)
    elif event.id.startswith("event/"):
        pieces = forms.pieces(text)
    elif event.id.startswith("log:"):
        pieces = forms.log_pieces(text)
    else:
        pieces = forms.own_pieces(event.kind, text)
        return EventText(text, plain, None if pieces is None else tuple(pieces), may_be_own=pieces is None)
    return EventText(text, plain, None if pieces is None else tuple(pieces))


def _task(text: str) -> list[Piece] | None:
    found = _TASK.fullmatch(text)
    return found and [("", f"{found[1]} ("), ("object", found[2]), ("", f"): {found[3]}")]
