"""Fixtures for all tests of the window: offscreen, Qt's warnings are failures, nothing may be left behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from tests.gui.left_behind import nothing_left_behind, pointer_in_a_corner
from tests.gui.recordings import record
from tests.gui.windows import child_of, private_folders, running, wait
from widgets.theme import Theme
from wizards.pages.gallery import GalleryView

__all__ = ["nothing_left_behind", "pointer_in_a_corner"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for all files that would be the user's."""
    private_folders(tmp_path, monkeypatch)
    return tmp_path


@pytest.fixture
def live(qapp: QApplication, home: Path, nothing_left_behind: None) -> Iterator[Program]:
    """A window that may start child processes."""
    with running(qapp, home) as program:
        yield program


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    """The dark theme."""
    return Theme(qapp, "dark")


@pytest.fixture(scope="module")
def lab_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two minutes of the lab."""
    return record(tmp_path_factory.mktemp("lab") / "lab.hscope", seconds=120.0)


@pytest.fixture
def gallery(live: Program, qtbot: QtBot, lab_session: Path) -> GalleryView:
    """The page of guided tests, beside a session of the lab."""
    live.workbench.open_paths([lab_session])
    wait(qtbot, lambda: live.desk.session.whole is not None)
    live.window.show_panel("tests")
    view = child_of(live.window, GalleryView)
    wait(qtbot, lambda: bool(view.cards))
    return view
