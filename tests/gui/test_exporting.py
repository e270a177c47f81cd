"""Exporting from the window: the dialog, the job, what is written of a scope, and what a stop leaves."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.export_dialog import ExportDialog
from sessions.times import TimeRange, parse_time
from tests.gui.recordings import record
from tests.gui.windows import child_of, wait
from widgets.messages import Messages

RECORDS = ("entities", "events", "facts", "findings", "gaps", "marks", "samples")
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def opened(live: Program, qtbot: QtBot, tmp_path: Path) -> Program:
    """A window on half a minute of the lab."""
    live.workbench.open_paths([record(tmp_path / "night.hscope", "cpu-limit-vm", seconds=60)])
    wait(qtbot, lambda: live.desk.session.snapshot is not None)
    return live


def dialog_of(program: Program, qtbot: QtBot) -> ExportDialog:
    dialog = child_of(program.window, ExportDialog)
    wait(qtbot, dialog.line.text)
    return dialog


def export_button(dialog: ExportDialog) -> QPushButton:
    return next(one for one in dialog.findChildren(QPushButton) if one.text() == "Export")


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_session_is_exported_beside_it(opened: Program, qtbot: QtBot, tmp_path: Path) -> None:
    opened.window.actions_by_id["file.export"].trigger()
    dialog = dialog_of(opened, qtbot)
    assert dialog.whole.isChecked()
    assert dialog.line.text() == str(tmp_path / "night export")
    assert "series, at most" in dialog.size_note.text()
    assert "of CSV." in dialog.size_note.text()
    export_button(dialog).click()
    bar = child_of(opened.window, Messages)
    wait(qtbot, lambda: bar.text.startswith("Exported "))
    assert str(tmp_path / "night export") in bar.text
    names = sorted(path.name for path in (tmp_path / "night export").iterdir())
    assert names == [f"{name}.csv" for name in sorted(RECORDS)]
    assert not [job for job in opened.desk.jobs.visible_jobs() if job.state != "done"]


def test_the_scope_is_exported_alone(opened: Program, qtbot: QtBot, tmp_path: Path) -> None:
    desk, snapshot = opened.desk, opened.desk.session.snapshot
    assert snapshot is not None
    assert snapshot.span is not None
    vm = next(ref for ref in snapshot.entities if ref.kind == "vm")
    window = TimeRange(snapshot.span.start + 20_000, snapshot.span.start + 40_000)
    desk.scope.set(desk.scope.scope.on([vm]).during(window))
    opened.window.actions_by_id["file.export_scope"].trigger()
    dialog = dialog_of(opened, qtbot)
    assert dialog.scope.isChecked()
    assert snapshot.name(vm) in dialog.scope.toolTip()
    dialog.line.selectAll()
    dialog.line.insert(str(tmp_path / "mine"))
    export_button(dialog).click()
    wait(qtbot, (tmp_path / "mine").exists)
    samples = rows_of(tmp_path / "mine" / "samples.csv")
    assert {window.contains(parse_time(row["time"])) for row in samples} == {True}
    kinds = {row["kind"] for row in samples}
    assert "vm" in kinds
    assert "host" not in kinds
    assert {row["entity"] for row in samples if row["kind"] == "vm"} == {snapshot.name(vm)}
    entities = {row["kind"] for row in rows_of(tmp_path / "mine" / "entities.csv")}
    assert "host" in entities, "the records are also those of what it depends on"
    wait(qtbot, lambda: "Exported" in child_of(opened.window, Messages).text)


def test_what_is_chosen_decides_size_and_folder(opened: Program, qtbot: QtBot) -> None:
    opened.window.actions_by_id["file.export"].trigger()
    dialog = dialog_of(opened, qtbot)
    dialog.kinds["parquet"].click()
    assert "CSV" not in dialog.size_note.text()
    dialog.scope.click()
    wait(qtbot, lambda: dialog.line.text().endswith("night part export"))
    dialog.reject()


def test_an_export_that_is_stopped_leaves_nothing(opened: Program, qtbot: QtBot, tmp_path: Path) -> None:
    opened.window.actions_by_id["file.export"].trigger()
    dialog = dialog_of(opened, qtbot)
    before = sorted(path.name for path in tmp_path.iterdir())
    export_button(dialog).click()
    [job] = [job for job in opened.desk.jobs.visible_jobs() if job.title.startswith("Exporting")]
    job.cancel()
    wait(qtbot, lambda: job.state == "cancelled")
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_folder_that_is_there_is_refused_in_a_sentence(
    opened: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "taken").mkdir()
    opened.window.actions_by_id["file.export"].trigger()
    dialog = dialog_of(opened, qtbot)
    dialog.line.selectAll()
    dialog.line.insert(str(tmp_path / "taken"))
    export_button(dialog).click()
    bar = child_of(opened.window, Messages)
    wait(qtbot, lambda: "taken" in bar.text)
    assert bar.text == f"{tmp_path / 'taken'} exists. Name a folder that does not exist yet."
    assert list((tmp_path / "taken").iterdir()) == []
