"""The order in which people expect names: ``esx2`` before ``esx10``."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(\d{1,18})")


def natural(name: str) -> tuple[str | int, ...]:
    """What to sort a name by: its numbers as numbers, its letters whatever their case."""
    return tuple(
        int(part) if place % 2 else part for place, part in enumerate(_NUMBER.split(name.casefold()))
    )
