"""What the window takes from a session at a moment."""

from __future__ import annotations

from pathlib import Path

from app.gui.snapshot import renew, take
from sessions.model import Entity, EntityRef, Fact, SourceSpec
from sessions.store import SessionReader, SessionWriter

VM = EntityRef("vm", "5012-uuid")
HOST = EntityRef("host", "esx01")


def test_who_was_renamed_is_called_by_the_new_name(tmp_path: Path) -> None:
    """The store keeps the first name with the entity; the newest is a fact that holds."""
    path = tmp_path / "s.hscope"
    with SessionWriter.create(path) as writer:
        writer.add_source(SourceSpec("vcenter", "vc01", 20))
        writer.add_entities([Entity(HOST, "esx01"), Entity(VM, "SQL-OLD", HOST)])
        writer.add_facts([Fact(VM, "name", "SQL-NEW", 1_000), Fact(VM, "vcpus", 4, 1_000)])
        with SessionReader.open(path) as reader:
            snapshot = take(reader, path)
            assert snapshot.name(VM) == "SQL-NEW"
            assert snapshot.name(HOST) == "esx01"
            assert [child.name for child in snapshot.children[HOST]] == ["SQL-NEW"]
            writer.add_entities([Entity(EntityRef("vm", "other"), "other", HOST)])
            snapshot, change = renew(reader, snapshot, records=True)
            assert change.inventory
            assert snapshot.name(VM) == "SQL-NEW"
