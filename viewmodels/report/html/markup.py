"""Foreign text as markup that shows it literally, whatever it holds; writing directions stay apart."""

from __future__ import annotations

import html
import re

from resources.foreign_text import visible, with_units_kept

_LETTERS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff"
"""Blocks of scripts that are written from right to left: Hebrew, Arabic and others."""
_RIGHT_TO_LEFT = re.compile(f"[{_LETTERS}]+(?:[^A-Za-z0-9<>&;{_LETTERS}]+[{_LETTERS}]+)*")


def text(foreign: str) -> str:
    """Return text for the inside of an element: escaped, numbers with their units, directions kept apart.

    A name in Hebrew or Arabic can't reorder the words and numbers beside it.
    """
    safe = html.escape(with_units_kept(visible(foreign), "\N{NO-BREAK SPACE}"), quote=True)
    return _RIGHT_TO_LEFT.sub(lambda found: f"<bdi>{found[0]}</bdi>", safe)


def attribute(foreign: str) -> str:
    """Return text for a quoted attribute."""
    return html.escape(visible(foreign), quote=True)
