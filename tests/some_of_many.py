"""Of many cases that are alike a few run always; the others are ``thorough``: part of ``run.py test --all``,
and of every run with words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from zlib import crc32

import pytest

THOROUGH = pytest.mark.thorough


def one_in(number: int, cases: Iterable[Any]) -> list[Any]:
    """Return the cases as parameters, of which one in ``number`` runs always.

    A case, or its first value, is its name. Which ones run follows from the name alone: a new case changes
    nothing for the others.
    """
    found = []
    for case in cases:
        values = case if isinstance(case, tuple) else (case,)
        is_always = crc32("/".join(map(str, values)).encode()) % number == 0
        found.append(pytest.param(*values, marks=() if is_always else THOROUGH))
    return found


def others(*cases: Any) -> list[Any]:
    """Return cases as parameters that are all thorough."""
    return [pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=THOROUGH) for one in cases]
