"""Names in the texts of a vCenter's events, each known by its place, and what is said instead of these texts.

Such a text may name what is no entity of the session: a datacenter, a VM that was removed before, a user.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from resources.event_forms import LEFT_OUT, EventForms, Piece
from sessions.model import Event

_TASK = re.compile(r"([^()]+) \((.+)\): (started|success|error)(?:: .*)?", re.DOTALL)
"""How an event tells of a task (resources/vcenter/events.toml). Why one failed is a server's own sentence."""


@dataclass(frozen=True, slots=True)
class ServerText:
    """The text of an event in pieces; ``pieces`` is None if nobody knows where names stand in it."""

    text: str
    plain: str
    pieces: tuple[Piece, ...] | None

    def names(self) -> Iterator[tuple[str, str]]:
        """Yield what is named, and how."""
        yield from ((hole, one) for hole, one in self.pieces or () if hole and hole != LEFT_OUT)

    def anonymous(self, replaced: Callable[[str], str]) -> str:
        """Return what is said instead; ``replaced`` gives what a name is called."""
        if self.pieces is None:
            return self.plain
        kept = (replaced(one) if hole else one for hole, one in self.pieces if hole != LEFT_OUT)
        return "".join(kept).rstrip()


def server_texts(events: Iterable[Event], forms: EventForms) -> list[ServerText]:
    """Return the texts that a server wrote, each once."""
    found: dict[str, ServerText] = {}
    for one in events:
        if one.text and one.text not in found and one.id.startswith(("event/", "task/")):
            pieces = _task(one.text) if one.id.startswith("task/") else forms.pieces(one.text)
            found[one.text] = ServerText(
                one.text, forms.plain_sentence(one.kind), None if pieces is None else tuple(pieces)
            )
    return list(found.values())


def _task(text: str) -> list[Piece] | None:
    found = _TASK.fullmatch(text)
    return found and [("", f"{found[1]} ("), ("object", found[2]), ("", f"): {found[3]}")]
