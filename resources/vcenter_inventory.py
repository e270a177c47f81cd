"""How an inventory is read and what its parts are called: resources/vcenter/inventory.toml."""

from __future__ import annotations

from pathlib import Path

import msgspec

from resources.toml_files import RESOURCES, checked, read_toml, wrong

INVENTORY_FILE = RESOURCES / "vcenter" / "inventory.toml"


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much at once: seconds of a wait, objects and bytes of a reply, facts of a hand-over; how long to
    rest after a complete reading, in times of its length; how often to begin one that replies were lost of;
    how many paths to list and gone objects to know.
    """

    wait_s: int
    page: int
    most: int
    page_bytes: int
    rest: int
    tries: int
    most_paths: int
    remembered: int
    clock_s: int
    facts: int


class InventoryKnowledge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``patience``: fact → share that it may drift unnoticed; ``words``: API type of a device → its word."""

    reading: Reading
    patience: dict[str, float]
    words: dict[str, str]


def load_inventory_knowledge(path: Path = INVENTORY_FILE) -> InventoryKnowledge:
    """The file, checked. Raises KnowledgeError."""
    known = checked(read_toml(path), InventoryKnowledge, path)
    if min(msgspec.structs.astuple(known.reading)) < 1:
        raise wrong(path, "reading", "numbers must be at least 1")
    if any(not 0 < share < 1 for share in known.patience.values()):
        raise wrong(path, "patience", "a share is between 0 and 1")
    return known
