"""A whole window with folders of its own, for tests that start real children from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QMimeData, QObject, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.gui.application import Program, build
from widgets.charts.page import ChartsPage
from widgets.messages import Messages

WAIT = 120_000
Part = TypeVar("Part", bound=QObject)


@contextmanager
def running(qapp: QApplication, home: Path) -> Iterator[Program]:
    """Yield a window whose settings and recordings are below ``home``; closing it asks no questions.

    What it records of the lab has 6,000 series, not 46,000: recorder, judge and window take less time for it.
    """
    found = build(qapp, home / "settings")
    found.desk.settings.set("record.folder", str(home / "recordings"))
    found.desk.settings.set("lab.speed", 20)
    found.desk.settings.set("lab.fields", "diagnosis")
    found.window.resize(1280, 800)
    found.window.show()
    try:
        yield found
    finally:
        found.window.guard = lambda: True
        found.window.close()
        found.window.deleteLater()


def private_folders(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use folders below ``home`` for logs, known hosts and keyring, also in child processes."""
    for name in ("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")


def child_of(window: QWidget, kind: type[Part], name: str = "") -> Part:
    """Return the child widget of a kind, optionally with an object name."""
    found = window.findChild(kind, name) if name else window.findChild(kind)
    assert found is not None, kind
    return found


def message_button(messages: Messages) -> QPushButton:
    """Return the button of the newest message."""
    assert messages.action_button is not None, messages.text
    return messages.action_button


def wait(qtbot: QtBot, done: Callable[[], object]) -> None:
    """Run an event loop until ``done()`` is true."""
    qtbot.waitUntil(lambda: bool(done()), timeout=WAIT)


def drop(window: QWidget, *paths: Path) -> None:
    """Drag files over the window and drop them."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    middle, buttons, keys = window.rect().center(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(middle, Qt.DropAction.CopyAction, data, buttons, keys))
    QApplication.sendEvent(window, QDropEvent(QPointF(middle), Qt.DropAction.CopyAction, data, buttons, keys))


def has_charts(program: Program) -> bool:
    """Return True if a chart shows samples."""
    cards = child_of(program.window, ChartsPage).stack.cards
    return any(one.curve.y.size > 1 for card in cards for one in card.curves)
