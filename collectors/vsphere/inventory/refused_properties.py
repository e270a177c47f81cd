"""Which properties of which objects the account may not read, and why, as one sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from collectors.vsphere.inventory.lookup import ObjectProperties
from collectors.vsphere.inventory.paths import ROWS
from collectors.vsphere.inventory.replies import Update

_Refused: TypeAlias = tuple[tuple[str, str], ...]
"""Paths that can't be read, each with the type of the fault."""


@dataclass(slots=True)
class RefusedProperties:
    """The refused properties of each object; objects with the same ones share one set, to save memory."""

    _of: dict[str, _Refused] = field(default_factory=dict)
    _same: dict[_Refused, _Refused] = field(default_factory=dict)

    def clear(self) -> None:
        """Forget all, before the whole inventory is read again."""
        self._of.clear()
        self._same.clear()

    def forget(self, moid: str) -> None:
        """Forget an object that is gone."""
        self._of.pop(moid, None)

    def note(self, update: Update) -> None:
        """Add the properties that an update could not read; remove those that it could."""
        before = self._of.pop(update.moid, ()) if update.kind == "modify" else ()
        if before or update.refused:
            read = {ROWS[update.type][at].path for at, _ in update.values}
            now = tuple(sorted({*(one for one in before if one[0] not in read), *update.refused}))
            self._of[update.moid] = self._same.setdefault(now, now)
        else:
            self._of.pop(update.moid, None)

    def text(self, objects: Mapping[str, ObjectProperties]) -> str:
        """Return the sentence, with the number of objects for each property; empty for none."""
        alike = Counter(
            (seen.type, refused) for moid, refused in self._of.items() if (seen := objects.get(moid))
        )
        counts = Counter[tuple[str, str, str]]()
        for (kind, refused), number in alike.items():
            counts.update({(kind, path, fault): number for path, fault in refused})
        parts = [
            f"{kind}.{path} of {count} object{'' if count == 1 else 's'} ({fault or 'unknown reason'})"
            for (kind, path, fault), count in sorted(counts.items())
        ]
        return "Not readable: " + "; ".join(parts) if parts else ""
