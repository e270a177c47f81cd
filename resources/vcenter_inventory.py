"""Loads how a vCenter's inventory is read, and names of virtual devices
(resources/vcenter/inventory.toml).
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from resources.toml_files import RESOURCES, checked, knowledge_error, read_toml

INVENTORY_FILE = RESOURCES / "vcenter" / "inventory.toml"


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits for reading an inventory.

    ``wait_s``: seconds that one WaitForUpdatesEx waits; ``page``, ``max_objects``: objects in the first and
    in any reply; ``page_bytes``: size of a reply to aim at; ``pause_factor``: how many times its own duration
    passes after a complete reading before a lost reply causes another; ``max_tries``: how often a complete
    reading is begun when replies are lost; ``max_paths``: with more storage paths none is listed;
    ``max_gone_objects``: how many removed objects are remembered; ``clock_s``: seconds between looks at the
    server's clock; ``facts``: facts handed over at once.
    """

    wait_s: int
    page: int
    max_objects: int
    page_bytes: int
    pause_factor: int
    max_tries: int
    max_paths: int
    max_gone_objects: int
    clock_s: int
    facts: int


class InventoryKnowledge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of inventory.toml.

    ``tolerance``: relative drift of a fact's value that is not recorded; ``device_names``: the word for a
    virtual device by its API type.
    """

    reading: Reading
    tolerance: dict[str, float]
    device_names: dict[str, str]


def load_inventory_knowledge(path: Path = INVENTORY_FILE) -> InventoryKnowledge:
    """Load and check inventory.toml. Raises KnowledgeError."""
    known = checked(read_toml(path), InventoryKnowledge, path)
    if min(msgspec.structs.astuple(known.reading)) < 1:
        raise knowledge_error(path, "reading", "numbers must be at least 1")
    if any(not 0 < share < 1 for share in known.tolerance.values()):
        raise knowledge_error(path, "tolerance", "a share is between 0 and 1")
    return known
