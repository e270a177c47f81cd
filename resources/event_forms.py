"""Loads what a vCenter's events say, with their arguments' places (resources/anonymity/event_forms.toml)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import msgspec

from resources.toml_files import RESOURCES, checked, read_toml

_HOLE = re.compile(r"\{(\w+?)\d*\}")
_KEPT = {"number": re.compile(r"[\d.,]+"), "nic": re.compile(r"vmnic\d+")}
LEFT_OUT = "left_out"
"""The hole of a form's end that says anything."""
Piece = tuple[str, str]
"""What stands in a hole, and its text; a piece of the form itself has no hole."""


class EventForms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``forms`` are sentences with holes; ``plain`` what is said instead of any other, by kind of event."""

    forms: tuple[str, ...]
    plain: dict[str, str]

    def plain_sentence(self, kind: str) -> str:
        """Return what is said of an event whose text can't be told from its names."""
        return self.plain.get(kind, self.plain["other"])

    def pieces(self, text: str) -> Sequence[Piece] | None:
        """Return a text in pieces by the first form that it has; None for a text of no known form."""
        plain = " ".join(text.split())
        return next((found for one in self.forms if (found := _cut(plain, one)) is not None), None)


def _cut(text: str, form: str) -> list[Piece] | None:
    """Each literal is looked for once, from the left: no text, however hostile, takes long."""
    literals, holes = _parts(form)
    if not text.startswith(literals[0]):
        return None
    text = text if holes[-1:] == (LEFT_OUT,) else text.removesuffix(".")
    at, found = len(literals[0]), [("", literals[0])]
    for place, (hole, literal) in enumerate(zip(holes, literals[1:], strict=True)):
        is_last = place == len(holes) - 1
        end = len(text) - len(literal) if is_last else text.find(literal, at + 1)
        if end <= at or not text.startswith(literal, end):
            return None
        kept = _KEPT.get(hole)
        if kept is not None and not kept.fullmatch(text[at:end]):
            return None
        found += [("" if kept else hole, text[at:end]), ("", literal)]
        at = end + len(literal)
    return found if at == len(text) else None


@cache
def _parts(form: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    parts = _HOLE.split(form)
    return tuple(parts[::2]), tuple(parts[1::2])


@cache
def load_event_forms() -> EventForms:
    """Return the forms that ship. Raises KnowledgeError."""
    path = RESOURCES / "anonymity" / "event_forms.toml"
    return checked(read_toml(path), EventForms, path)
