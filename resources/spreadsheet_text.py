"""Makes text from sessions, captures and servers safe to open in a spreadsheet."""

from __future__ import annotations

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def escape_formula(text: str) -> str:
    """Return ``text``, with an apostrophe before it if a spreadsheet would run it as a formula.

    Formulas start with one of ``= + - @``, a tab or a line break (OWASP, CSV Injection); the apostrophe makes
    a spreadsheet treat the cell as text. Numbers are never passed through here.
    """
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
