"""What is stored together is stored as a whole, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessions.model import Entity, EntityRef, Event, SourceSpec
from sessions.store import SessionReader, SessionWriter, check_session

HOST = EntityRef("host", "esx01")


def store(writer: SessionWriter, *, fails: bool) -> None:
    with writer.together():
        writer.add_entities([Entity(HOST, "esx01")])
        source = writer.add_source(SourceSpec("log", "esx01"))
        writer.add_events([Event(1_000, "network", "The link of vmnic0 is down", HOST, log="vmkernel.log")])
        writer.update_source(source, state="complete")
        if fails:
            raise KeyError("a bug")


def test_all_of_it(tmp_path: Path) -> None:
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        store(writer, fails=False)
        writer.add_events([Event(2_000, "network", "later")])
    with SessionReader.open(tmp_path / "s.hscope") as reader:
        assert [event.log for event in reader.events()] == ["vmkernel.log", ""]
        assert [source.state for source in reader.sources()] == ["complete"]


def test_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.hscope"
    SessionWriter.create(path).close()
    writer = SessionWriter.open(path)
    with pytest.raises(KeyError):
        store(writer, fails=True)
    with pytest.raises(ValueError, match="failed"):
        writer.add_events([Event(2_000, "network", "later")])
    writer.close()
    assert check_session(path, thorough=True) == []
    with SessionReader.open(path) as reader:
        assert (list(reader.events()), list(reader.sources()), reader.entities()) == ([], [], {})
