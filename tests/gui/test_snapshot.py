"""What the window takes from a session at a moment, and what it sees while somebody writes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from sessions.model import Entity, EntityRef, Event, Fact, Gap, Mark, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter
from tests.gui.windows import child_of, wait
from viewmodels.scope_labels import session_label
from viewmodels.snapshot import Change, Snapshot, read_snapshot, renewed_snapshot
from widgets.inventory.model import InventoryModel
from widgets.timeline import TimelineView

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
VM = EntityRef("vm", "5012-uuid")
HOST, OTHER = EntityRef("host", "esx01"), EntityRef("host", "esx02")
RUNS = Event(1_000, "snapshot", "Remove: started", VM, None, "task-7")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.hscope"


@pytest.fixture
def writer(path: Path) -> Iterator[SessionWriter]:
    """A session that is being recorded."""
    with SessionWriter.create(path) as writer:
        source = writer.add_source(SourceSpec("vcenter", "vc01", 20))
        writer.add_entities([Entity(HOST, "esx01"), Entity(OTHER, "esx02"), Entity(VM, "SQL-OLD", HOST)])
        writer.add_facts([Fact(VM, "host", "esx01", 1_000), Fact(VM, "vcpus", 4, 1_000)])
        ids = writer.add_series(source, [SeriesSpec(VM, "cpu.ready", "%")])
        writer.append_ticks(
            [(writer.add_layout(source, ids), t, np.ones(1)) for t in (1_000, 21_000, 41_000)]
        )
        yield writer


@pytest.fixture
def reader(path: Path, writer: SessionWriter) -> Iterator[SessionReader]:
    with SessionReader.open(path) as reader:
        yield reader


def test_who_was_renamed_is_called_by_the_new_name(path: Path, writer: SessionWriter) -> None:
    """The store keeps the first name with the entity; the newest is a fact that holds."""
    writer.add_facts([Fact(VM, "name", "SQL-NEW", 1_000)])
    with SessionReader.open(path) as reader:
        snapshot = read_snapshot(reader, path)
        assert snapshot.name(VM) == "SQL-NEW"
        assert snapshot.name(HOST) == "esx01"
        assert [child.name for child in snapshot.children[HOST]] == ["SQL-NEW"]
        writer.add_entities([Entity(EntityRef("vm", "other"), "other", HOST)])
        snapshot, change = renewed_snapshot(reader, snapshot)
        assert change.inventory
        assert snapshot.name(VM) == "SQL-NEW"


def test_names_and_hosts_of_a_session_that_grows(
    path: Path, writer: SessionWriter, reader: SessionReader
) -> None:
    first = read_snapshot(reader, path)
    writer.add_facts([Fact(VM, "name", "SQL-NEW", 5_000), Fact(VM, "host", "esx02", 6_000)])
    second, change = renewed_snapshot(reader, first)
    assert change == Change(inventory=True)
    assert (second.name(VM), second.host_of(VM)) == ("SQL-NEW", OTHER)
    assert [child.name for child in second.children[HOST]] == ["SQL-NEW"]
    assert second.series_index is first.series_index
    writer.add_facts([Fact(VM, "name", "SQL-OLDER", 4_000), Fact(VM, "host", "esx03", 5_000)])
    third, change = renewed_snapshot(reader, second)
    assert change == Change(), "what was told late is not what holds"
    assert (third.name(VM), third.host_of(VM)) == ("SQL-NEW", OTHER)
    writer.add_facts([Fact(VM, "name", "SQL-NEW", 5_000, 9_000)])
    fourth, change = renewed_snapshot(reader, third)
    assert change == Change(inventory=True)
    assert fourth.name(VM) == "SQL-OLD"
    assert same(fourth, read_snapshot(reader, path))


def test_records_of_a_session_that_grows(path: Path, writer: SessionWriter, reader: SessionReader) -> None:
    writer.add_events([RUNS])
    snapshot = read_snapshot(reader, path)
    for write in (
        lambda: writer.add_events([Event(1_000, "snapshot", "Remove: success", VM, 9_000, "task-7")]),
        lambda: writer.add_events([Event(500, "power", "on", VM)]),
        lambda: writer.add_gaps([Gap(1, 3_000, 4_000, "no answer", None, 1)]),
        lambda: writer.add_gaps([Gap(1, 3_000, 9_000, "no answer", None, 2)]),
        lambda: writer.add_mark(Mark(7, "one")),
        lambda: writer.change_mark(Mark(7, "one"), Mark(7, "two")),
    ):
        write()
        newer, change = renewed_snapshot(reader, snapshot)
        assert change == Change(records=True)
        assert (newer.events is snapshot.events) == (newer.events == snapshot.events)
        snapshot = newer
        assert same(snapshot, read_snapshot(reader, path))
    assert [event.text for event in snapshot.events] == ["on", "Remove: success"]
    assert renewed_snapshot(reader, snapshot)[1] == Change()
    writer.add_facts([Fact(VM, "vcpus", 8, 2_000)])
    assert renewed_snapshot(reader, snapshot)[1] == Change()


def names_below(tree: InventoryModel, host: str) -> list[str]:
    """The VMs that the inventory shows on a host."""
    refs = [ref for ref in tree.refs if ref.kind == "vm"]
    indexes = [tree.index_of(ref) for ref in refs]
    return [str(index.data()) for index in indexes if index.parent().data() == host]


def same(one: Snapshot, other: Snapshot) -> bool:
    """Whether who followed sees what somebody sees who opens the session now; its size may have changed."""
    return (one.entities, one.series, one.records, one.marks, one.gaps, one.span) == (
        other.entities, other.series, other.records, other.marks, other.gaps, other.span,
    )  # fmt: skip


def test_the_window_follows_names_and_moves(
    live: Program, qtbot: QtBot, path: Path, writer: SessionWriter
) -> None:
    live.workbench.open_paths([path])
    wait(qtbot, lambda: live.desk.session.snapshot is not None)
    tree = child_of(live.window, InventoryModel)
    timeline = child_of(live.window, TimelineView)
    wait(qtbot, lambda: names_below(tree, "esx01") == ["SQL-OLD"])
    live.desk.scope.set(live.desk.scope.scope.on([VM]))
    writer.add_facts([Fact(VM, "name", "SQL-NEW", 5_000), Fact(VM, "host", "esx02", 5_000)])
    writer.add_events([RUNS])
    wait(qtbot, lambda: names_below(tree, "esx02") == ["SQL-NEW"])
    assert names_below(tree, "esx01") == []
    assert live.window.top.scope.path.text == "esx02 › SQL-NEW"
    wait(qtbot, lambda: [event.end for event in timeline.content.events] == [None])
    writer.add_events([Event(1_000, "snapshot", "Remove: success", VM, 9_000, "task-7")])
    wait(qtbot, lambda: [event.end for event in timeline.content.events] == [9_000])


def test_the_status_bar_follows_the_size_of_the_file(
    live: Program, qtbot: QtBot, path: Path, writer: SessionWriter
) -> None:
    """A file that only shrinks or grows, as at the end of a recording, has the same samples."""
    live.workbench.open_paths([path])
    wait(qtbot, lambda: live.desk.session.snapshot is not None)
    before = live.desk.session.snapshot
    assert before is not None
    writer.add_facts([Fact(VM, "vcpus", 4, 2_000 + at) for at in range(5_000)])
    with SessionReader.open(path) as reader:
        now = read_snapshot(reader, path)
    assert session_label(now) != session_label(before)
    labels = live.window.status.findChildren(QLabel)
    wait(qtbot, lambda: session_label(now) in [label.text() for label in labels])
