"""Wraps text for a terminal, a number never parted from its unit."""

from __future__ import annotations

import re

from rich.console import Console
from rich.text import Text

from resources.foreign_text import with_units_kept

_GLUE = "\ue000"
"""Rich breaks lines at a no-break space; ``shown`` and ``visible`` let no private character through."""
_AFTER_LIMIT = re.compile(r"(?<= limit) (?=\S)")


def wrapped(text: str, room: int, console: Console) -> list[str]:
    """Return the lines of a text, each of at most ``room`` columns; one empty line for an empty text."""
    glued = with_units_kept(_AFTER_LIMIT.sub(_GLUE, text), _GLUE)
    return [line.plain.rstrip().replace(_GLUE, " ") for line in Text(glued).wrap(console, room)] or [""]
