"""The number that a check is told by, and the words of a state."""

from __future__ import annotations

import math

import msgspec


class Measure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The one number that a check is told by, whatever came of it: "ready on the worst vCPU of web01 at most
    0.2 %, limit 5 % for 1 min".

    ``what`` names the number. ``expr`` gives it at each sample from signals that the condition reads, absent
    where the condition does not look at it (a device with hardly any I/O). ``limit`` is the threshold that it
    is held against. ``below`` marks a number whose low values are the bad ones. ``words`` are the names of
    the numbers 0, 1, … of a state.
    """

    what: str
    expr: str
    limit: str
    below: bool = False
    words: list[str] = msgspec.field(default_factory=list)

    def word(self, value: float) -> str:
        """Return the name of a state; of a mean of two the better one, as it is not the worse yet."""
        if not self.words or math.isnan(value):
            return ""
        known = min(max(value, 0.0), len(self.words) - 1.0)
        return self.words[math.ceil(known) if self.below else math.floor(known)]

    def bad(self, limit: float) -> str:
        """Return which states are a problem: "soft or worse"; empty for a number that is none of a state."""
        bad = self.words[math.ceil(limit) :] if not self.below else self.words[: math.ceil(limit)][::-1]
        return f"{bad[0]} or worse" if len(bad) > 1 else "".join(bad)
