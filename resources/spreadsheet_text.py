"""Makes text from sessions, captures and servers safe to open in a spreadsheet."""

from __future__ import annotations

import re

from resources.foreign_text import without_controls

_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
_UNSEEN = "\\s\u00ad\u200b-\u200d\u2060\ufeff"
"""What a spreadsheet trims, or what has no width."""
_FORMULA = re.compile(f"[{_UNSEEN}]*[{_SIGNS}]")
_LAYOUT = ("\t", "\r", "\n")
_BORDER = re.compile("[;\t\r\n\u2028\u2029]")
"""What a spreadsheet may take for the border of two cells, also in quotes that don't begin a cell."""
_BEFORE_SIGN = re.compile(f'([;"{_UNSEEN}]+)([{_SIGNS}]?)')


def safe_cell(text: str) -> str:
    """Return ``text`` as a cell that is only ever text, in a spreadsheet and in the terminal that prints it.

    What a spreadsheet would run as a formula gets an apostrophe before it, which makes the cell text:
    formulas start with one of ``= + - @``, also in full width, a tab or a line break (OWASP, CSV Injection),
    also after spaces that a spreadsheet trims, and after marks without width. One may also stand behind a
    semicolon, a tab or a line break in the text: where the decimal sign is a comma, spreadsheets separate
    cells by semicolons, and our quotation marks, behind a comma, are then none. Control characters and
    bidirectional overrides become ``�``;
    tabs and line breaks inside stay, quoted. Numbers are never passed through here.
    """
    harmless = without_controls(text)
    if _BORDER.search(harmless):
        harmless = _BEFORE_SIGN.sub(_defused, harmless)
    is_formula = harmless.startswith(_LAYOUT) or _FORMULA.match(harmless) is not None
    return f"'{harmless}" if is_formula else harmless


def _defused(found: re.Match[str]) -> str:
    """Matching whole runs and looking at them here takes time in proportion to the text."""
    before, sign = found.groups()
    return f"{before}'{sign}" if sign and _BORDER.search(before) else found[0]
