"""What to look at first where the numbers support no cause of a problem."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class FirstLooks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to look at first where the numbers support no cause: ``looks`` by the kind of what has a problem,
    for the sentence ``more``; ``undecided`` is the sentence where some number would decide. ``again`` is how
    to record again what could not be judged, by the kind of its source; ``more_areas`` how to record what
    tells of areas that nothing was judged of; ``other_time`` where only a part of the time was asked about.
    """

    undecided: str = "{what}"
    more: str = "{where}"
    looks: dict[str, str] = {}
    again: dict[str, str] = {}
    more_areas: dict[str, str] = {}
    other_time: str = ""

    def step(self, kind: str, entity: str, host: str, missing: Sequence[str]) -> str:
        """Return the one thing to do. ``missing`` are sentences that say which number would decide."""
        if missing:
            return self.undecided.replace("{what}", " ".join(missing))
        look = self.looks.get(kind, "").replace("{host}", host or "the host")
        if not look:
            return ""
        return self.more.replace("{where}", look.replace("{entity}", entity))
