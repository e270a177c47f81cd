"""A bug is written down without values, shown once, and the program goes on; Qt's messages go to a file."""

from __future__ import annotations

import sys
import threading
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QMessageLogContext, QtMsgType
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.crash_dialog import CrashDialog
from app.gui.qt_log import QtLog
from resources.crash_reports import crash_folder
from tests.gui.windows import wait

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
SECRET = "-".join(("ge", "heim"))  # written so that no line of this file shows it


def broken(secret: str) -> None:
    raise KeyError(secret)


def _are(found: list[bool], times: int) -> bool:
    return len(found) == times


def dialogs(program: Program) -> list[CrashDialog]:
    return [one for one in program.window.findChildren(CrashDialog) if one.isVisible()]


def test_a_bug_in_a_job_is_shown_once_and_holds_no_value(live: Program, qtbot: QtBot) -> None:
    done: list[bool] = []
    for times in (1, 2):
        live.desk.jobs.start("x", "X", lambda _job: broken(SECRET), lambda _none: None)
        wait(qtbot, lambda: not live.desk.jobs.busy("x"))
        live.desk.jobs.start("y", "Y", lambda _job: True, done.append)
        wait(qtbot, partial(_are, done, times))
    [dialog] = dialogs(live)
    assert "KeyError" in dialog.details.toPlainText()
    assert "in broken" in dialog.details.toPlainText()
    [report] = crash_folder().glob("crash-*.txt")
    for text in (dialog.details.toPlainText(), report.read_text(encoding="utf-8")):
        assert SECRET not in text
    dialog.accept()


def test_a_bug_anywhere_is_caught_by_the_hooks(
    live: Program, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    live.workbench.crashes.install()
    thread = threading.Thread(target=broken, args=(SECRET,))
    thread.start()
    thread.join()
    wait(qtbot, lambda: dialogs(live))
    dialog = dialogs(live)[0]
    QGuiApplication.clipboard().clear()
    [copy] = [one for one in dialog.findChildren(QPushButton) if "Copy" in one.text()]
    copy.click()
    assert "in broken" in QGuiApplication.clipboard().text()
    dialog.accept()
    try:
        broken("again")
    except KeyError as error:
        sys.excepthook(KeyError, error, error.__traceback__)
    wait(qtbot, lambda: dialogs(live))
    dialogs(live)[0].accept()


def test_qts_messages_go_to_a_file_that_does_not_grow_for_ever(tmp_path: Path) -> None:
    log = QtLog(tmp_path)
    log.write(QtMsgType.QtWarningMsg, QMessageLogContext(), "something")
    text = (tmp_path / "qt.log").read_text(encoding="utf-8")
    assert text.endswith("Warning: something\n")
    (tmp_path / "qt.log").write_bytes(b"x" * (1 << 21))
    log.write(QtMsgType.QtInfoMsg, QMessageLogContext(), "later")
    assert len((tmp_path / "qt.log").read_text(encoding="utf-8")) < 100
    QtLog(tmp_path / "missing").write(QtMsgType.QtInfoMsg, QMessageLogContext(), "lost")
