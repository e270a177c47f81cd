"""Text that comes from elsewhere, made safe to show in a window or a terminal: hostile names stay text.

Whatever of a session, a capture or a server's reply is shown goes through here: control characters (ESC, BEL,
C1 …) can't reach a terminal, nor can bidirectional overrides reorder what stands beside them.
"""

from __future__ import annotations

import html
import re
import unicodedata

from resources.units import UNIT_NAMES

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
MAX_LENGTH = 300


def visible(text: str) -> str:
    """``text`` with white space as spaces, and control characters and bidirectional overrides as ``�``.

    As many characters as it had, all on one line.
    """
    if text.isprintable():
        return text
    return "".join(map(_visible_character, text))


def shown(text: str, max_length: int = MAX_LENGTH) -> str:
    """``text`` on one line: ``visible``, runs of white space as one space, cut after ``max_length``.

    Plain Qt labels and painters take the result as it is; nothing in it can reorder its surroundings.
    """
    safe = visible(" ".join(text[: max_length * 4].split()))
    return safe if len(safe) <= max_length else f"{safe[: max_length - 1]}…"


def breakable(text: str) -> str:
    """``text`` that a label may break within long words, too: names of devices are wider than a pane.

    A number and its unit stay on one line.
    """
    kept = _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", text)
    return _LONG_WORD.sub(lambda word: "\u200b".join(_PIECE.findall(word[0])), kept)


def brief(text: str) -> str:
    """``text`` for a heading: of a long word its begin and its end, which tell devices apart."""
    return _TOO_LONG.sub(lambda word: f"{word[0][:_BEGIN]}…{word[0][-_END:]}", text)


def _visible_character(character: str) -> str:
    if character.isspace():
        return " "
    harmful = character in _BIDI or unicodedata.category(character) in {"Cc", "Cs", "Co", "Cn"}
    return _REPLACED if harmful else character


_REPLACED = "\ufffd"
_TOO_LONG, _BEGIN, _END = re.compile(r"\S{27,}"), 12, 10
_LONG_WORD, _PIECE = re.compile(r"\S{18,}"), re.compile(r".{1,6}")
_BEFORE_UNIT = re.compile(rf"(?<=\d) (?=(?:{'|'.join(map(re.escape, sorted(UNIT_NAMES)))})(?![\w/]))")


def tip(text: str) -> str:
    """``text``, lines kept, as a tooltip: Qt takes a tooltip that looks like markup for markup."""
    lines = (html.escape(shown(line, _TIP_LINE), quote=False) for line in text.split("\n")[:_TIP_LINES])
    return f"<p style='white-space: pre-wrap; margin: 0'>{'<br>'.join(lines)}</p>"


_TIP_LINE, _TIP_LINES = 400, 40
