"""Which class of storage each device and datastore of a session is of, and why, as rows of a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from resources.foreign_text import shown
from resources.storage_classes import ANY
from resources.threshold_sets import StorageLimits
from resources.units import format_count
from viewmodels.entity_limits import storage_table
from viewmodels.name_order import natural
from viewmodels.snapshot import Snapshot

_KINDS = {"device": "Device", "datastore": "Datastore"}
_NAME = 120
MAX_ROWS = 500
"""More would make the window wait; the rest is counted."""
_NOTHING_TELLS = "nothing tells: choose its class by its name"


@dataclass(frozen=True, slots=True)
class ClassedRow:
    """A device or datastore, the title of its class, and why it is of that one. ``name`` may be foreign."""

    name: str
    of: str
    storage_class: str
    because: str


def class_rows(snapshot: Snapshot, judged_by: StorageLimits) -> tuple[Sequence[ClassedRow], str]:
    """Return the rows, devices first, and a sentence for those that are left out (empty: none)."""
    table = storage_table(snapshot, judged_by)
    every = [one for one in snapshot.entities.values() if one.ref.kind in _KINDS]
    order = list(_KINDS)
    every.sort(key=lambda one: (order.index(one.ref.kind), natural(one.name), one.ref.key))
    rows = []
    for one in every[:MAX_ROWS]:
        found = table.of(one.ref)
        known = judged_by.classes.get(found.storage_class)
        because = found.because or (_NOTHING_TELLS if found.storage_class == ANY else "")
        title = known.title if known else found.storage_class
        rows.append(ClassedRow(shown(one.name, _NAME), _KINDS[one.ref.kind], title, because))
    left = len(every) - len(rows)
    # A class is chosen by name: local disks of several hosts that have one name and class are one row.
    return list(dict.fromkeys(rows)), f"and {format_count(left)} more" if left else ""
