"""Loads what events say, with the places of the names in them (resources/anonymity/event_forms.toml)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

import msgspec

from resources.anonymity_rules import is_program_text
from resources.log_lines import load_log_lines
from resources.toml_files import RESOURCES, checked, read_toml

_HOLE = re.compile(r"\{(\w+?)\d*\}")
_LOG_HOLE = re.compile(r"\{(\w+)(?::\w+)?\}")
_KEPT: dict[str, Callable[[str], object]] = {
    "number": re.compile(r"[\d.,]+").fullmatch,
    "nic": re.compile(r"vmnic\d+").fullmatch,
    "words": is_program_text,
}
_MORE = re.compile(r" \([\d,]+ more until (?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d UTC\)$")
"""What follows the text of a log's event that stands for several lines."""
_MOST_PLACES = 8
LEFT_OUT = "left_out"
"""The hole of a form's end that says anything."""
Piece = tuple[str, str]
"""What stands in a hole, and its text; a piece of the form itself has no hole."""


class EventForms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``forms`` are a server's sentences with holes, ``own`` the recorder's; ``log_holes`` says what stands
    in those of a log's; ``quoting`` are kinds of own events that quote a server. ``plain`` is what is said
    instead of any other, by kind of event.
    """

    forms: tuple[str, ...]
    own: tuple[str, ...]
    quoting: tuple[str, ...]
    log_holes: dict[str, str]
    plain: dict[str, str]

    def plain_sentence(self, kind: str) -> str:
        """Return what is said of an event whose text can't be told from its names."""
        return self.plain.get(kind, self.plain["other"])

    def pieces(self, text: str) -> Sequence[Piece] | None:
        """Return a text in pieces by the first form that it has; None for a text of no known form."""
        return _first(self.forms, text)

    def own_pieces(self, kind: str, text: str) -> Sequence[Piece] | None:
        """Return the text of an event that no server told in pieces, as ``pieces`` does."""
        return _first((*self.own, *self.forms) if kind in self.quoting else self.own, text)

    def log_pieces(self, text: str) -> Sequence[Piece] | None:
        """Return the text of a log's event in pieces, as ``pieces`` does."""
        more = _MORE.search(text)
        found = _first(_log_forms(), text[: more.start()] if more else text)
        return found if found is None or more is None else [*found, ("", more[0])]


def _first(forms: Sequence[str], text: str) -> list[Piece] | None:
    plain = " ".join(text.split())
    return next((found for one in forms if (found := _cut(plain, one)) is not None), None)


@cache
def _log_forms() -> tuple[str, ...]:
    """The texts of a log's events with holes as other forms have them; some say what a server says."""
    known, forms = load_log_lines(), load_event_forms()
    texts = [*(one.text for one in known.rows), *(one.text for one in known.told.values() if one.text)]
    own = (_LOG_HOLE.sub(lambda hole: f"{{{forms.log_holes.get(hole[1], 'words')}}}", text) for text in texts)
    return (*dict.fromkeys(own), *forms.forms)


def _cut(text: str, form: str) -> list[Piece] | None:
    """Each literal is looked for a few times at most: no text, however hostile, takes long."""
    literals, holes = _parts(form)
    if not text.startswith(literals[0]):
        return None
    text = text if holes[-1:] == (LEFT_OUT,) else text.removesuffix(".")
    at, found = len(literals[0]), [("", literals[0])]
    for place, (hole, literal) in enumerate(zip(holes, literals[1:], strict=True)):
        kept = _KEPT.get(hole)
        ends = [len(text) - len(literal)] if place == len(holes) - 1 else _places(text, literal, at, hole)
        end = next((one for one in ends if one > at and (kept is None or kept(text[at:one]))), None)
        if end is None or not text.startswith(literal, end):
            return None
        found += [("" if kept else hole, text[at:end]), ("", literal)]
        at = end + len(literal)
    return found if at == len(text) else None


def _places(text: str, literal: str, start: int, hole: str) -> list[int]:
    """Where a hole from ``start`` on can end: a name before the first ``literal``, words of ours before one
    of the first few, the last one first.
    """
    if hole != "words":
        return [text.find(literal, start + 1)]
    ends: list[int] = []
    at = text.find(literal, start + 1)
    while at >= 0 and len(ends) < _MOST_PLACES:
        ends.append(at)
        at = text.find(literal, at + 1)
    return ends[::-1]


@cache
def _parts(form: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    parts = _HOLE.split(form)
    return tuple(parts[::2]), tuple(parts[1::2])


@cache
def load_event_forms() -> EventForms:
    """Return the forms that ship. Raises KnowledgeError."""
    path = RESOURCES / "anonymity" / "event_forms.toml"
    return checked(read_toml(path), EventForms, path)
