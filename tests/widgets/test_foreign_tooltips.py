"""Names of a session in tooltips and questions are text, also where they look like a picture to load.

Qt would ask a server for ``<img src='//server/share'>``, on Windows with the user's account.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from PySide6.QtGui import Qt, QTextDocument
from PySide6.QtWidgets import QInputDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from app.gui.asking_for_logs import ask_where
from sessions.model import Entity, EntityRef
from viewmodels.snapshot import Snapshot
from widgets.thresholds import ChosenClassesView

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
PICTURE = "<img src='//server/share/x.png'>"


def test_a_device_in_the_preferences(qtbot: QtBot) -> None:
    view = ChosenClassesView([("ssd", "SSD")])
    qtbot.addWidget(view)
    view.show_devices([(PICTURE, "device", "SSD", PICTURE)], "")
    item = view.devices.topLevelItem(0)
    assert item is not None
    for column in (0, 3):
        assert as_shown(item.toolTip(column)) == PICTURE


def test_a_log_and_a_host_when_it_is_asked_who_wrote_it(qtbot: QtBot, tmp_path: Path) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    names = [PICTURE, "x" * 10_000]
    hosts = {EntityRef("host", name): Entity(EntityRef("host", name), name) for name in names}
    snapshot = cast("Snapshot", SimpleNamespace(path=tmp_path / "a&b.hscope", entities=hosts))
    started: list[str] = []
    ask_where([Path("<b>vmkernel.log")], snapshot, window, lambda _session, host: started.append(host))
    box = window.findChild(QMessageBox)
    assert box is not None
    assert box.textFormat() == Qt.TextFormat.PlainText
    [add] = [one for one in box.buttons() if "Add to" in one.text()]
    assert add.text() == "Add to a&&b.hscope"
    add.click()
    dialog = window.findChild(QInputDialog)
    assert dialog is not None
    texts = dialog.comboBoxItems()
    assert texts[0].startswith("as the logs")
    assert max(map(len, texts)) <= 80
    dialog.setTextValue(texts[2])
    dialog.accept()
    assert started == ["x" * 10_000]


def as_shown(tooltip: str) -> str:
    if not Qt.mightBeRichText(tooltip):
        return tooltip
    document = QTextDocument()
    document.setHtml(tooltip)
    return document.toPlainText()
