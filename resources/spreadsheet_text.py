"""Makes text from sessions, captures and servers safe to open in a spreadsheet."""

from __future__ import annotations

import re

from resources.foreign_text import without_controls

_FORMULA = re.compile("[\\s\u00ad\u200b-\u200d\u2060\ufeff]*[=+\\-@\uff1d\uff0b\uff0d\uff20]")
"""What a formula begins with, behind what is trimmed or has no width."""
_LAYOUT = ("\t", "\r", "\n")


def safe_cell(text: str) -> str:
    """Return ``text`` as a cell that is only ever text, in a spreadsheet and in the terminal that prints it.

    What a spreadsheet would run as a formula gets an apostrophe before it, which makes the cell text:
    formulas start with one of ``= + - @``, also in full width, a tab or a line break (OWASP, CSV Injection),
    also after spaces that a spreadsheet trims, and after marks without width. Control characters and
    bidirectional overrides become ``�``;
    tabs and line breaks inside stay, quoted. Numbers are never passed through here.
    """
    harmless = without_controls(text)
    is_formula = harmless.startswith(_LAYOUT) or _FORMULA.match(harmless) is not None
    return f"'{harmless}" if is_formula else harmless
