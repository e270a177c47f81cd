"""The scripts that run in guests (resources/guests): fixed text, in which nothing is ever filled in."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "guests"


@cache
def guest_script(name: str) -> str:
    """Return the text of a script by its file name: ``run.sh``."""
    return (_FOLDER / name).read_text(encoding="ascii")
