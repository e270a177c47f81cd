"""Saving what a view offers: the dialog, the file, the message, and the file manager's command lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.plan_files import PlanFiles
from app.gui.preferences import preferences
from app.gui.revealing import reveal_commands
from app.gui.saving import file_stem, form_of
from resources.user_folders import files_folder
from tests.gui.windows import child_of, wait
from viewmodels.file_offer import FileForm, FileOffer, table_file, text_form
from viewmodels.text_table import TextTable
from widgets.messages import Messages
from widgets.thresholds import ThresholdSetsView

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

CSV = FileForm("CSV", ".csv", lambda: b"a,b\n")
TEXT = text_form("Text", ".txt", lambda: "ä")


def choose(program: Program, qtbot: QtBot, name: str) -> None:
    """Type a name into the dialog and press its button."""
    dialog = child_of(program.window, QFileDialog)
    line = child_of(dialog, QLineEdit)
    line.setText(name)
    dialog.accept()
    wait(qtbot, lambda: not program.window.findChildren(QFileDialog))


def test_a_table_is_saved_where_the_user_says(live: Program, qtbot: QtBot, tmp_path: Path) -> None:
    live.desk.save_file(table_file(TextTable("Hosts: worst", ("host",), (("esx01",),))))
    dialog = child_of(live.window, QFileDialog)
    assert dialog.selectedFiles()[0].endswith("Hosts- worst.csv")
    choose(live, qtbot, str(tmp_path / "mine"))
    bar = child_of(live.window, Messages)
    wait(qtbot, lambda: "Saved as" in bar.text)
    assert (tmp_path / "mine.csv").read_bytes() == b"\xef\xbb\xbfhost\nesx01\n"
    assert str(tmp_path / "mine.csv") in bar.text
    live.desk.save_file(FileOffer("again", (CSV,)))
    assert Path(child_of(live.window, QFileDialog).directory().path()) == tmp_path, "the folder used last"
    child_of(live.window, QFileDialog).reject()


def test_what_the_system_refuses_is_one_sentence_and_leaves_nothing(
    live: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    live.desk.save_file(FileOffer("x", (CSV,)))
    dialog = child_of(live.window, QFileDialog)
    dialog.fileSelected.emit(str(gone / "x.csv"))
    dialog.reject()
    bar = child_of(live.window, Messages)
    wait(qtbot, lambda: "can't be written" in bar.text)
    assert bar.text.endswith(
        "No such file or directory. Nothing was kept. Name a file in a folder that you may write."
    )
    assert not gone.exists()


@pytest.mark.parametrize(
    ("name", "chosen", "label"),
    [
        ("a.txt", "CSV (*.csv)", "Text"),
        ("a.CSV", "Text (*.txt)", "CSV"),
        ("a", "Text (*.txt)", "Text"),
        ("a", "", "CSV"),
    ],
)
def test_the_form_follows_the_name_then_the_filter(name: str, chosen: str, label: str) -> None:
    assert form_of(Path(name), (CSV, TEXT), chosen).label == label


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("Ready · db-prod", "Ready - db-prod"),
        ("../../etc/passwd", "etc-passwd"),
        ("a\n\x1bb", "a -b"),
        ("...", "hyperscope"),
        ("x" * 300, "x" * 100),
    ],
)
def test_a_title_becomes_a_file_name(title: str, stem: str) -> None:
    assert file_stem(title) == stem


def test_windows_explorer_selects_the_file_whatever_its_name() -> None:
    [command] = reveal_commands(Path("/lab/a, b.hscope"), "win32")
    assert command.line == f'explorer.exe /select,"{Path("/lab/a, b.hscope")}"'
    assert not command.tells, "Explorer's exit code is 1 also when it worked"


def test_the_finder_reveals_the_file() -> None:
    [command] = reveal_commands(Path("/lab/a b.hscope"), "darwin")
    assert command.line == ("open", "-R", str(Path("/lab/a b.hscope")))


@pytest.mark.skipif(not str(Path("/a")).startswith("/"), reason="paths of Linux")
def test_linux_asks_the_file_manager_and_then_opens_the_folder() -> None:
    first, second = reveal_commands(Path("/lab/a, b#1.hscope"), "linux")
    assert "org.freedesktop.FileManager1.ShowItems" in first.line
    assert "array:string:file:///lab/a%2C%20b%231.hscope" in first.line
    assert second.line == ("xdg-open", "/lab")


def test_dialogs_do_not_begin_where_the_program_was_started(live: Program, qtbot: QtBot) -> None:
    """On Windows that is the folder of the system."""
    dialog = preferences(live.desk, live.window)
    dialog.open()
    [sets] = dialog.findChildren(ThresholdSetsView)
    sets.import_wanted.emit()
    sets.export_wanted.emit()
    PlanFiles(live.desk, dialog).ask_run()
    PlanFiles(live.desk, dialog).ask_save("sioc")
    asking = dialog.findChildren(QFileDialog)
    assert len(asking) == 4
    assert {Path(one.directory().absolutePath()) for one in asking} == {files_folder()}
    for one in asking:
        one.reject()
    dialog.reject()
    dialog.deleteLater()
