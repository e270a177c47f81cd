"""The natural order of names: ``esx2`` comes before ``esx10``."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(\d{1,18})")


def natural(name: str) -> tuple[str | int, ...]:
    """Return a sort key for a name: digits compare as numbers, letters without regard to case."""
    return tuple(
        int(part) if place % 2 else part for place, part in enumerate(_NUMBER.split(name.casefold()))
    )
