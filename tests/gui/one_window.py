"""Fixtures: a window on a quarter of an hour of the demo, judged. And keys for whoever has the focus."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.application import Program, build
from tests.gui.recordings import record
from tests.gui.windows import WAIT
from viewmodels.snapshot import Snapshot


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("window") / "demo.hscope", seconds=900)


@pytest.fixture
def program(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Program]:
    found = build(qapp, tmp_path / "settings")
    found.window.resize(1440, 900)
    found.window.show()
    yield found
    found.window.close()
    found.window.deleteLater()


@pytest.fixture
def opened(program: Program, session: Path, qtbot: QtBot) -> Program:
    program.workbench.open_paths([session])
    qtbot.waitUntil(lambda: program.desk.findings.diagnosis is not None, timeout=WAIT)
    return program


def snapshot_of(program: Program) -> Snapshot:
    found = program.desk.session.snapshot
    assert found is not None
    return found


def press(qtbot: QtBot, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """A key for whoever has the focus, as the window system sends it: shortcuts come first."""
    widget = QApplication.focusWidget()
    assert widget is not None
    window = widget.window().windowHandle()
    qtbot.keyClick(window, key, modifier)
