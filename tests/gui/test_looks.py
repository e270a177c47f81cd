"""Nothing in the window is cut off or unnamed: every page and dialog at 1280 × 720, dark and light."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QSizePolicy,
    QStyle,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.gui.about import About
from app.gui.actions import ACTIONS
from app.gui.application import Program
from app.gui.crash_dialog import CrashDialog
from app.gui.panels import panel_keys
from app.gui.preferences import Preferences
from app.gui.shortcut_sheet import ShortcutSheet
from resources.foreign_text import shown
from tests.gui.recordings import record
from tests.gui.windows import running, wait
from widgets.charts.card import ChartCard
from widgets.connect import Certificate, ConnectDialog, PasswordDialog, Place, Profile, TrustDialog
from widgets.esxtop import EsxtopTable, EsxtopView
from widgets.overview import OverviewView

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

SMALL = QSize(1280, 720)
PAGES = ("overview", "charts", "esxtop", "heatmap", "compare")
HOSTILE = "<b>evil</b> \u202e\n" + "x" * 300
SHA = ":".join(f"{number:02X}" for number in range(32))


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("looks") / "demo.hscope", seconds=600)


@pytest.fixture(params=["dark", "light"])
def opened(
    request: pytest.FixtureRequest, qapp: QApplication, qtbot: QtBot, home: Path, session: Path
) -> Iterator[Program]:
    with running(qapp, home) as program:
        program.desk.settings.set("look.theme", request.param)
        program.window.resize(SMALL)
        program.workbench.open_paths([session])
        wait(qtbot, lambda: program.desk.findings.diagnosis is not None)
        yield program


def is_cut(widget: QWidget) -> bool:
    """Whether a text needs more room than it has; those that elide or wrap say so by their size policy."""
    if isinstance(widget, QLabel):
        may_shrink = widget.sizePolicy().horizontalPolicy() == QSizePolicy.Policy.Ignored
        if may_shrink or widget.wordWrap() or not widget.text():
            return False
    elif not isinstance(widget, QAbstractButton) or not widget.text():
        return False
    return widget.width() + 1 < widget.sizeHint().width()


def visible(window: QWidget, kind: type[QWidget]) -> list[QWidget]:
    return [widget for widget in window.findChildren(kind) if widget.isVisibleTo(window)]


def name_of(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QAbstractButton | QLabel) else ""
    return f"{type(widget).__name__} {widget.objectName() or widget.accessibleName() or text!r}"


def cut(window: QWidget) -> list[str]:
    return [name_of(widget) for widget in visible(window, QWidget) if is_cut(widget)]


def unnamed(window: QWidget) -> list[str]:
    """Controls that Tab reaches or that are buttons, and that a screen reader could not name."""
    found = []
    for widget in visible(window, QWidget):
        reached = (
            widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            and widget.isEnabled()
            and widget.focusProxy() is None
        )
        if not reached and not isinstance(widget, QAbstractButton):
            continue
        own = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
        by_label = any(label.buddy() is widget for label in window.findChildren(QLabel))
        if not own and not by_label and not widget.objectName().startswith("qt_"):
            found.append(f"{name_of(widget)} in {name_of(widget.parentWidget() or window)}")
    return found


def test_nothing_is_cut_and_everything_has_a_name(opened: Program, qtbot: QtBot) -> None:
    inventory = opened.window.findChild(QWidget, "dock-inventory")
    assert inventory is not None
    for page in PAGES:
        opened.window.show_panel(page)
        wait(qtbot, lambda page=page: not opened.desk.jobs.busy(page))  # type: ignore[misc]
        QApplication.processEvents()
        assert opened.window.size() == SMALL, page
        assert not cut(opened.window), page
        assert not unnamed(opened.window), page
        assert inventory.width() >= 260, page  # no page of the middle takes the panes' room


def test_the_start_page_fits(live: Program) -> None:
    live.window.resize(SMALL)
    QApplication.processEvents()
    assert not cut(live.window)
    assert not unnamed(live.window)


def connect(program: Program) -> QDialog:
    place = Place("vcenter", "vc01.lab", "administrator@vsphere.local")
    profiles = [Profile("Production", (place, place), "small", ("vm:SQL*",)), Profile(HOSTILE, (place,))]
    return ConnectDialog(
        program.desk.theme, profiles, [("small", "What problems need")], Profile(), lambda _p: None,
        program.window,
    )  # fmt: skip


DIALOGS: dict[str, Callable[[Program], QDialog]] = {
    "connect": connect,
    "password": lambda p: PasswordDialog(p.desk.theme, HOSTILE, HOSTILE, "It was wrong.", p.window),
    "trust": lambda p: TrustDialog(p.desk.theme, Certificate(HOSTILE, SHA, "", SHA), p.window),
    "preferences": lambda p: Preferences(p.desk.settings, p.desk.times, p.window),
    "shortcuts": lambda p: ShortcutSheet([*ACTIONS, *panel_keys(p.desk.screens)], p.window),
    "about": lambda p: About(p.window),
    "crash": lambda p: CrashDialog(f"A report was written to {shown(HOSTILE)}", "x\n" * 90, p.window),
}


@pytest.mark.parametrize("name", DIALOGS)
def test_dialogs_fit_a_small_window(live: Program, name: str) -> None:
    """1280 × 720 is also what 200 % leaves of a screen of 2560 × 1440."""
    live.window.resize(SMALL)
    icons = QStyle.StyleHint.SH_DialogButtonBox_ButtonsHaveIcons
    dialog = DIALOGS[name](live)
    dialog.open()
    QApplication.processEvents()
    try:
        assert dialog.width() <= SMALL.width()
        assert dialog.height() <= SMALL.height() - 40
        assert not cut(dialog)
        assert not unnamed(dialog)
        assert all(bar.accessibleName() for bar in dialog.findChildren(QTabBar))
        for box in dialog.findChildren(QDialogButtonBox):  # the system's pictures are not of our icon set
            assert not box.style().styleHint(icons, None, box)
        for label in dialog.findChildren(QLabel):
            assert "\u202e" not in label.text()
    finally:
        dialog.reject()
        dialog.deleteLater()


def test_the_sheet_writes_esxtops_keys_as_esxtop_does(live: Program) -> None:
    sheet = ShortcutSheet([*ACTIONS, *panel_keys(live.desk.screens)], live.window)
    chips = {label.text() for label in sheet.findChildren(QLabel) if label.property("role") == "chip"}
    assert {"c", "m", "V", "v", "R", "r"} <= chips
    assert "Shift+V" not in chips


def test_the_address_says_what_to_type(live: Program) -> None:
    dialog = ConnectDialog(live.desk.theme, [], [], Profile(), lambda _p: None, live.window)
    dialog.open()
    QApplication.processEvents()
    for line in (dialog.rows[0].host, dialog.rows[0].user):
        room = line.width() - 2 * 12
        assert line.fontMetrics().horizontalAdvance(line.placeholderText()) <= room
    dialog.reject()
    dialog.deleteLater()


def test_connecting_begins_where_one_types(live: Program, qtbot: QtBot) -> None:
    place = Place("vcenter", "vc01.lab", "administrator@vsphere.local")
    profiles = [Profile("Production", (place,)), Profile("Test", (place,))]

    def dialog(known: list[Profile]) -> ConnectDialog:
        return ConnectDialog(live.desk.theme, known, [], Profile(), lambda _p: None, live.window)

    first = dialog([])
    assert first.focusWidget() is first.rows[0].host
    again = dialog(profiles)
    assert again.focusWidget() is again.connect_button
    again.list.setFocus()
    qtbot.keyClick(again.list, Qt.Key.Key_Down)
    qtbot.keyClick(again.list, Qt.Key.Key_Up)
    qtbot.keyClick(again.list, Qt.Key.Key_Up)
    assert (again.list.currentRow(), again.focusWidget()) == (0, again.list)
    for one in (first, again):
        one.deleteLater()


def test_the_overview_fits_the_smallest_window(opened: Program, qtbot: QtBot) -> None:
    opened.window.resize(opened.window.minimumSize())
    opened.window.show_panel("overview")
    overview = opened.window.findChild(OverviewView)
    assert overview is not None
    wait(qtbot, lambda: len(overview.findChildren(ChartCard)) == 5)
    QApplication.processEvents()
    right = overview.viewport().width()
    for card in overview.findChildren(ChartCard):
        assert card.mapTo(overview.viewport(), card.rect().topRight()).x() < right


def test_esxtop_shows_the_row_of_the_scope(opened: Program, qtbot: QtBot) -> None:
    opened.window.show_panel("esxtop")
    panel = opened.window.findChild(EsxtopView)
    snapshot = opened.desk.session.snapshot
    assert panel is not None
    assert snapshot is not None
    table = panel.table
    vms = [ref for ref in snapshot.entities if ref.kind == "vm"]
    for vm in (vms[0], vms[-1]):
        opened.desk.scope.set(opened.desk.scope.scope.on([vm]))
        wait(qtbot, partial(_is_current, table, snapshot.name(vm)))
        wait(qtbot, lambda: table.viewport().rect().intersects(table.visualRect(table.currentIndex())))


def _is_current(table: EsxtopTable, name: str) -> bool:
    return bool(table.currentIndex().data() == name)


def test_the_sheet_has_the_keys_of_every_view(live: Program) -> None:
    specs = [*ACTIONS, *panel_keys(live.desk.screens)]
    sheet = ShortcutSheet(specs, live.window)
    shown_titles = {label.text() for label in sheet.findChildren(QLabel)}
    assert {spec.title.rstrip("…") for spec in specs if spec.keys} <= shown_titles
    sheet.deleteLater()


def test_a_key_on_the_sheet_is_no_higher_than_its_text(live: Program) -> None:
    sheet = ShortcutSheet([*ACTIONS, *panel_keys(live.desk.screens)], live.window)
    sheet.open()
    QApplication.processEvents()
    chips = [label for label in sheet.findChildren(QLabel) if label.property("role") == "chip"]
    assert [chip.text() for chip in chips if chip.height() > chip.sizeHint().height()] == []
    sheet.reject()
    sheet.deleteLater()
