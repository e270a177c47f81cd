"""The health states of entities and values, which symbols and colours stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Health = Literal[
    "critical",
    "warning",
    "was critical",
    "was warning",
    "over",
    "affected",
    "ok",
    "partly",
    "info",
    "part",
    "none",
]
"""A health state.

``was critical`` and ``was warning``: a problem at another time than the numbers beside it are of. ``over``: a
number exceeds its limit, but no problem was found that explains it, or not yet. ``affected``: what follows
from another entity's problem. ``partly``: no problem found, but whole areas were not judged. ``part``: judged
with the VM that it is a part of. ``none``: not judged yet, or nothing to judge.
"""

SPOKEN: dict[Health, str] = {
    "critical": "critical",
    "warning": "warning",
    "was critical": "was critical",
    "was warning": "was a warning",
    "over": "over its limit",
    "affected": "affected by another problem",
    "ok": "no problem found",
    "partly": "judged in part",
    "info": "to know",
    "part": "",
    "none": "not judged",
}
"""What a screen reader says of each state."""

RANK: dict[Health, int] = {
    "critical": 9, "warning": 8, "over": 7, "was critical": 6, "was warning": 5, "affected": 4,
    "none": 3, "partly": 3, "ok": 2, "info": 1, "part": 0,
}  # fmt: skip
"""Which state is worse; of an entity and what is below it the worse one is shown."""

PASSED_ON: frozenset[Health] = frozenset({"critical", "warning", "was critical", "was warning"})
"""The states that hosts and headings show of what is below them."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """The symbol of an entity: its state, and True if that is only the state of something below it."""

    health: Health
    is_below: bool = False
