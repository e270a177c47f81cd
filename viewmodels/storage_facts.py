"""Which facts of a session tell the class of a device, a path, a datastore, or a VM's disks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sessions.model import DISK_PLACE, Fact

_TELLING = re.compile(
    rf"device\.(protocol|vendor|ssd|local|datastore)|path\.device|datastore\.type|{DISK_PLACE.pattern}"
)


def tells_class(name: str) -> bool:
    """True if a fact of this name helps to tell the class of something."""
    return _TELLING.fullmatch(name) is not None


def with_storage_facts(known: Sequence[Fact], written: Sequence[Fact]) -> Sequence[Fact]:
    """Return ``known`` with those newly written that tell a class, ordered by start; itself if there are
    none.
    """
    new = [fact for fact in written if tells_class(fact.name)]
    return sorted([*known, *new], key=lambda fact: fact.start) if new else known
