"""The small files that keep settings: replaced as a whole, whoever else writes them at the same time."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QFileSystemWatcher, QObject
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from app.gui.esxtop_layouts import EsxtopLayouts
from app.gui.json_files import change_json, read_json, write_json
from app.gui.layout import SavedLayout
from app.gui.recent import RecentSessions, missing_reason
from app.gui.settings import Settings
from app.gui.threshold_store import ThresholdStore
from app.gui.view_state import ViewState, ViewStates
from connections.file_lock import locked
from resources.problem_cards import load_problems
from tests.recorder.conftest import tiny_disk
from viewmodels.esxtop_layout import ScreenLayout

__all__ = ["tiny_disk"]

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(sys.platform == "win32", reason="a file that is read is not replaced there")
def test_two_windows_write_at_once_and_one_of_them_is_read(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    contents = [{"key": "long" * 20_000}, {"key": "short"}]
    write_json(path, contents[0])
    begin = threading.Barrier(3)

    def write(values: dict[str, str]) -> None:
        begin.wait()
        for _ in range(200):
            write_json(path, values)

    writers = [threading.Thread(target=write, args=(values,)) for values in contents]
    for one in writers:
        one.start()
    begin.wait()
    while any(one.is_alive() for one in writers):
        assert json.loads(path.read_text(encoding="utf-8")) in contents
    assert [one.name for one in tmp_path.iterdir()] == ["settings.json"]


def test_a_full_disk_keeps_the_settings_that_were(tiny_disk: Path) -> None:
    path = tiny_disk / "settings.json"
    write_json(path, {"key": "before"})
    write_json(path, {"key": "x" * (4 << 20)})
    assert read_json(path) == {"key": "before"}
    assert [one.name for one in tiny_disk.iterdir()] == ["settings.json"]


def test_two_windows_do_not_lose_one_anothers_settings(qapp: object, tmp_path: Path) -> None:
    """Each has read the file before the other wrote."""
    first, second = Settings(tmp_path), Settings(tmp_path)
    first.set("lab.speed", 7)
    second.set("live.window", 30)
    first.set("look.theme", "light")
    assert read_json(tmp_path / "settings.json") == {
        "lab.speed": 7,
        "live.window": 30,
        "look.theme": "light",
    }


CHANGES = """
import sys
from pathlib import Path
from app.gui.json_files import change_json
for number in range(60):
    change_json(Path(sys.argv[1]), lambda stored: {**stored, f"{sys.argv[2]}{number}": number})
"""


def test_processes_that_change_one_file_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "views.json"
    writers = [subprocess.Popen([sys.executable, "-c", CHANGES, str(path), name], cwd=ROOT) for name in "abc"]
    assert [one.wait(120) for one in writers] == [0, 0, 0]
    assert len(read_json(path)) == 180


def test_a_file_that_a_stopped_process_holds_is_changed_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    with locked(path.with_name(f".{path.name}.lock")):
        change_json(path, lambda stored: {**stored, "key": 1})
    assert read_json(path) == {"key": 1}


def test_each_window_has_a_layout_of_its_own(qapp: object, tmp_path: Path) -> None:
    first, second = QMainWindow(), QMainWindow()
    layouts = SavedLayout(tmp_path), SavedLayout(tmp_path)
    layouts[0].save(first, {"jobs": True})
    assert layouts[1].wanted() == {"jobs": True}, "it begins as the first one was"
    layouts[1].save(second, {"jobs": False})
    assert sorted(path.name for path in tmp_path.glob("*.json")) == ["layout-2.json", "layout.json"]
    again = SavedLayout(tmp_path)
    assert again.wanted() == {"jobs": True}
    for window in (first, second):
        window.deleteLater()


def test_recent_sessions_are_pinned_removed_and_put_back(tmp_path: Path) -> None:
    here, there = RecentSessions(tmp_path), RecentSessions(tmp_path)
    for number in range(70):
        one = here if number % 2 else there
        one.remember(tmp_path / f"{number}.hscope", f"{number}", start=1, until=60_001, size=9)
        if number == 3:
            here.pin(str(tmp_path / "3.hscope"), on=True)
    titles = [one.title for one in here.entries()]
    assert titles[:3] == ["3", "69", "68"]
    assert len(titles) == 61, "sixty, and the pinned one that is older"
    gone = there.forget(str(tmp_path / "68.hscope"))
    assert gone is not None
    assert [one.title for one in here.entries()][:3] == ["3", "69", "67"]
    here.restore(gone)
    assert [one.title for one in there.entries()][:3] == ["3", "69", "68"]
    there.remember(tmp_path / "3.hscope", "3")
    assert here.entries()[0].pinned, "opening it again does not unpin it"
    here.pin(str(tmp_path / "3.hscope"), on=False)
    assert not any(one.pinned for one in there.entries())


def test_why_a_session_is_missing(tmp_path: Path) -> None:
    (tmp_path / "here.hscope").touch()
    assert missing_reason(tmp_path / "here.hscope") == ""
    assert missing_reason(tmp_path / "gone.hscope").startswith("The file is not there")
    assert missing_reason(tmp_path / "away" / "s.hscope").startswith(
        f"The folder {tmp_path / 'away'} is not there"
    )
    assert missing_reason(tmp_path) == "That is no file."


def test_numbers_that_nothing_can_have_are_ignored(tmp_path: Path) -> None:
    """They came to Qt as widths and times, or kept the window from storing anything at its end."""
    session = tmp_path / "s.hscope"
    huge = {"view": {"moment": 10**30}, "at": 10**400}
    (tmp_path / "views.json").write_text(json.dumps({str(session.resolve()): huge, "/other": huge}), "utf-8")
    views = ViewStates(tmp_path)
    assert views.of(session) is None
    views.keep(session, ViewState(moment=5))
    assert views.of(session) == ViewState(moment=5)
    layout = {"cpu": {"widths": {"name": 10**30}}, "memory": {"widths": {"name": 90}}}
    (tmp_path / "esxtop.json").write_text(json.dumps(layout), "utf-8")
    layouts = EsxtopLayouts(tmp_path)
    assert (layouts.of("cpu"), layouts.of("memory").widths) == (ScreenLayout(), {"name": 90})


def test_a_window_takes_the_settings_that_another_one_changed(qtbot: QtBot, tmp_path: Path) -> None:
    """In a folder that the first of them made."""
    folder = tmp_path / "settings"
    first, second = Settings(folder), Settings(folder)
    changed: list[str] = []
    first.changed.connect(changed.append)
    second.set("look.theme", "light")
    second.set("lab.speed", 7)
    qtbot.waitUntil(lambda: sorted(changed) == ["lab.speed", "look.theme"])
    assert (first.text("look.theme"), first.number("lab.speed")) == ("light", 7)
    first.set("look.theme", "dark")
    qtbot.waitUntil(lambda: second.text("look.theme") == "dark")


def test_a_damaged_file_changes_no_setting_of_an_open_window(qtbot: QtBot, tmp_path: Path) -> None:
    first, second = Settings(tmp_path), Settings(tmp_path)
    first.set("look.theme", "light")
    qtbot.waitUntil(lambda: second.text("look.theme") == "light")
    write_json(tmp_path / "settings.json", {"look.theme": 7, "lab.speed": 12})
    qtbot.waitUntil(lambda: second.number("lab.speed") == 12)
    assert second.text("look.theme") == "light"


def test_a_closed_window_watches_no_folder(qapp: QApplication, tmp_path: Path) -> None:
    """Windows deletes no folder that somebody watches: the self-test's could not be removed."""
    stores = Settings(tmp_path), ThresholdStore(tmp_path, load_problems().storage.classes)
    watchers = [_watcher(store) for store in stores]
    assert [watcher.directories() for watcher in watchers] == [[str(tmp_path)]] * 2

    for store in stores:
        store.shutdown()

    assert [watcher.directories() for watcher in watchers] == [[], []]


def _watcher(store: QObject) -> QFileSystemWatcher:
    found = store.findChild(QFileSystemWatcher)
    assert found is not None
    return found
