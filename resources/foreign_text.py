"""Makes text from sessions, captures and servers safe to show in a window or a terminal.

All such text goes through these functions: control characters (ESC, BEL, C1 …) never reach a terminal, and
bidirectional overrides cannot reorder the text beside them.
"""

from __future__ import annotations

import html
import re
import unicodedata

from resources.units import UNIT_NAMES

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
MAX_LENGTH = 300


def visible(text: str) -> str:
    """Return ``text`` on one line: white space becomes spaces, control and bidi characters become ``�``.

    The result has as many characters as ``text``.
    """
    if text.isprintable():
        return text
    return "".join(map(_visible_character, text))


def without_controls(text: str) -> str:
    """Return ``text`` with ``�`` for control and bidi characters and for what no encoding has.

    Tabs and line breaks stay, as a file may have them.
    """
    if text.isprintable():
        return text
    return "".join(_REPLACED if _is_control(one) and one not in "\t\r\n" else one for one in text)


def storable(text: str) -> str:
    """Return ``text`` with ``�`` for what no encoding has, as in a file name whose bytes are not UTF-8."""
    return _SURROGATES.sub(_REPLACED, text)


def shown(text: str, max_length: int = MAX_LENGTH) -> str:
    """Return ``text`` safe to show on one line: ``visible``, single-spaced, cut to ``max_length`` characters.

    Plain Qt labels and painters can use the result as it is.
    """
    safe = visible(" ".join(text[: max_length * 4].split()))
    return safe if len(safe) <= max_length else f"{safe[: max_length - 1]}…"


def breakable(text: str) -> str:
    """Return ``text`` with break opportunities in long words, such as device names wider than a pane.

    A number and its unit stay on one line. A sentence that begins with a Hebrew or Arabic name stays one of
    ours, from left to right.
    """
    kept = _SLASHED_UNIT.sub(_WHOLE_SLASH, with_units_kept(text, "\N{NO-BREAK SPACE}"))
    broken = _LONG_WORD.sub(lambda word: "\u200b".join(_PIECE.findall(word[0])), kept)
    return f"{_LEFT_TO_RIGHT}{broken}" if _begins_right_to_left(text) else broken


def with_units_kept(text: str, glue: str) -> str:
    """Return ``text`` with ``glue`` instead of the space between a number and its unit."""
    return _BEFORE_UNIT.sub(glue, text)


def shorten_long_words(text: str) -> str:
    """Return ``text`` for a heading: words over 26 characters keep only their beginning and end.

    Device names differ at both ends.
    """
    return _TOO_LONG.sub(lambda word: f"{word[0][:_BEGIN]}…{word[0][-_END:]}", text)


def _visible_character(character: str) -> str:
    if character.isspace():
        return " "
    harmful = _is_control(character) or unicodedata.category(character) in {"Co", "Cn"}
    return _REPLACED if harmful else character


def _is_control(character: str) -> bool:
    return character in _BIDI or unicodedata.category(character) in {"Cc", "Cs"}


def _begins_right_to_left(text: str) -> bool:
    """True if the first character with a direction goes from right to left: so would Qt lay it all out."""
    if text.isascii():
        return False
    directions = map(unicodedata.bidirectional, text)
    return next((one for one in directions if one in {"L", "R", "AL"}), "L") != "L"


_LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"
_REPLACED = "\ufffd"
_SURROGATES = re.compile("[\ud800-\udfff]")
_TOO_LONG, _BEGIN, _END = re.compile(r"\S{27,}"), 12, 10
_LONG_WORD = re.compile(r"\S{18,}")
_PIECE = re.compile(r"[^-._@/:,;=&?+]{1,14}(?:[-._@/:,;=&?+]+|$)|.{1,6}")
"""A part of a name up to what parts its parts; else six characters, as of a device's long number."""
_SLASHED_UNIT, _WHOLE_SLASH = re.compile(r"(?<=\d\N{NO-BREAK SPACE})(\w{0,6})/(?=\w)"), "\\1/\N{WORD JOINER}"
"""Lines may break behind a slash: "905 /s" would lose its "s"."""
_BEFORE_UNIT = re.compile(rf"(?<=\d) (?=(?:{'|'.join(map(re.escape, sorted(UNIT_NAMES)))})(?![\w/]))")


def tooltip_text(text: str) -> str:
    """Return ``text`` as an HTML tooltip that shows it literally, line by line; empty for no text.

    Qt would interpret a plain tooltip that looks like markup.
    """
    if not text:
        return ""
    lines = (html.escape(shown(line, _TIP_LINE), quote=False) for line in text.split("\n")[:_TIP_LINES])
    return f"<p style='white-space: pre-wrap; margin: 0'>{'<br>'.join(lines)}</p>"


_TIP_LINE, _TIP_LINES = 400, 40
