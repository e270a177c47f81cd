"""Every item model of the window is one that Qt accepts, also while rows come, go and change."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QIcon
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QComboBox, QDialog, QLineEdit, QListWidget, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

import app.gui
import widgets
from app.gui.application import Program
from app.gui.palette import Entry, Palette
from app.gui.preferences import Preferences
from app.gui.shortcut_sheet import ShortcutSheet
from sessions.model import EntityRef
from tests.gui.recordings import record
from tests.gui.windows import child_of, wait
from viewmodels.correlation_rows import CorrelationRow
from viewmodels.esxtop_table import Row, TableColumn
from viewmodels.health import Symbol
from viewmodels.inventory_tree import Node
from widgets.connect import ConnectDialog, Place, Profile
from widgets.esxtop import EsxtopModel
from widgets.inventory import InventoryModel, InventoryView
from widgets.moved.rows import MovedRows
from widgets.start.recent import RecentEntry, RecentModel
from widgets.theme import Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
MODELS = {EsxtopModel, InventoryModel, MovedRows, RecentModel}
"""Those of our own; the others are Qt's, filled by us."""

NAMES = st.lists(st.sampled_from(["db", "web", "<b>", "\u202ex\n", "", "ü" * 300]), max_size=6)
MANY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@contextmanager
def accepted(*models: QAbstractItemModel) -> Iterator[None]:
    """Ends the process where a model breaks its contract, at every signal.

    The testers go before the models: Qt's own list model signals from its destructor, on which they fall.
    """
    testers = [
        QAbstractItemModelTester(one, QAbstractItemModelTester.FailureReportingMode.Fatal) for one in models
    ]
    try:
        yield
    finally:
        for tester in testers:
            delete(tester)


def subclasses(kind: type[object]) -> Iterator[type[object]]:
    for one in type.__subclasses__(kind):
        yield one
        yield from subclasses(one)


def test_none_is_forgotten() -> None:
    for package in (widgets, app.gui):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    own = {
        one for one in subclasses(QAbstractItemModel) if one.__module__.split(".")[0] in {"app", "widgets"}
    }
    assert own == MODELS


@MANY
@given(steps=st.lists(NAMES, max_size=5))
def test_what_moved(qapp: object, steps: list[list[str]]) -> None:
    model = MovedRows()
    with accepted(model):
        for names in steps:
            rows = [
                CorrelationRow(EntityRef("vm", name), name, "moved", "cpu.ready", "rose", "", 0.5, (1,))
                for name in names
            ]
            model.show_rows(rows)
            shown = [model.index(row) for row in range(model.rowCount())]
            assert [row.data(Qt.ItemDataRole.UserRole) for row in shown] == rows


@MANY
@given(steps=st.lists(NAMES, max_size=5))
def test_recent_sessions(qapp: object, steps: list[list[str]]) -> None:
    model = RecentModel()
    with accepted(model):
        for names in steps:
            entries = [RecentEntry(f"/s/{name}", name, "today", spark=(0.0, 1.0)) for name in names]
            model.show_entries(entries)
            rows = [model.index(row) for row in range(model.rowCount())]
            assert [row.data(Qt.ItemDataRole.UserRole) for row in rows] == entries


def tree(names: list[str], depth: int) -> Node:
    root = Node("")
    for number, name in enumerate(names):
        above = root.add(Node.of(EntityRef("host", f"{number}"), name))
        for level in range(depth):
            above = above.add(Node.of(EntityRef("vm", f"{number}/{level}"), f"{name}{level}"))
    return root


@MANY
@given(
    steps=st.lists(st.tuples(NAMES, st.integers(0, 3), st.sampled_from(["", "db", "b2", "zz"])), max_size=5)
)
def test_the_inventory_and_its_search(
    qapp: object, theme: Theme, steps: list[tuple[list[str], int, str]]
) -> None:
    model = InventoryModel()
    view = InventoryView(model, theme)
    with accepted(model):
        for names, depth, words in steps:
            model.set_tree(tree(names, depth))
            model.set_health(
                {EntityRef("host", "0"): Symbol("critical"), EntityRef("vm", "0/1"): Symbol("warning")}
            )
            view.search.setText(words)
            view.search.returnPressed.emit()
            model.set_values({EntityRef("vm", "0/1"): "31 %", EntityRef("host", "1"): "2 %"})
            model.set_health({})
    view.deleteLater()


@MANY
@given(steps=st.lists(st.tuples(NAMES, st.integers(1, 3), st.integers(0, 4), st.booleans()), max_size=5))
def test_esxtop(qapp: object, steps: list[tuple[list[str], int, int, bool]]) -> None:
    model = EsxtopModel()
    generator = np.random.default_rng(1)
    with accepted(model):
        for names, wide, column, down in steps:
            rows = [Row(EntityRef("vm", str(number)), name, "esx1") for number, name in enumerate(names)]
            columns = [TableColumn(f"c{number}", f"%C{number}", "%", "", 50.0) for number in range(wide)]
            for _ in range(2):  # other rows, then other numbers of the same
                model.set_table(rows, columns, generator.random((len(rows), wide)) * 100)
                model.set_sparks(0, {0: np.arange(3.0)})
                order = Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder
                model.sort(min(column, model.columnCount() - 1), order)


def test_the_palette(qtbot: QtBot, theme: Theme) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    entries = [
        Entry(f"{name} {number}", "vm", QIcon(), lambda: None) for number, name in enumerate("abc" * 30)
    ]
    palette = Palette(theme, window, entries)
    found = child_of(palette, QListWidget).model()
    with accepted(found):
        for words in ("a", "a 1", "a 12 vm", "nothing", "", "b"):
            child_of(palette, QLineEdit).setText(words)
        assert found.rowCount() == 30
    palette.close()


def test_connections(qtbot: QtBot, theme: Theme) -> None:
    usual = Profile("", (Place(),), "standard")
    profiles = [
        Profile(name, (Place("vcenter", "vc01", "admin"),), "standard") for name in ("lab", "<b>\n\u202e")
    ]
    dialog = ConnectDialog(
        theme, profiles, [("standard", "Standard"), ("all", "All")], usual, lambda _one: None
    )
    qtbot.addWidget(dialog)
    with accepted(dialog.list.model(), dialog.kinds.model(), dialog.counters.preset.model()):
        dialog.list.setCurrentRow(2)
        dialog.forget.click()
        assert dialog.list.count() == 2
        dialog.list.setCurrentRow(0)
        dialog.counters.preset.setCurrentIndex(1)
        dialog.rows[0].host.setText("vc02")


def test_lists_of_the_other_dialogs(live: Program, qtbot: QtBot, home: object) -> None:
    live.workbench.open_paths([record(home / "s.hscope", seconds=120)])  # type: ignore[operator]
    wait(qtbot, lambda: live.desk.session.snapshot is not None)
    live.window.show_panel("esxtop")
    dialogs: list[QDialog] = [
        Preferences(live.desk.settings, live.desk.times, live.window),
        ShortcutSheet((), live.window),
    ]
    lists: list[QListWidget | QComboBox] = [
        *live.window.findChildren(QListWidget),
        *live.window.findChildren(QComboBox),
    ]
    assert lists
    with accepted(*(part.model() for part in lists)):
        for part in lists:
            if isinstance(part, QComboBox):
                part.setCurrentIndex(part.count() - 1)
    for dialog in dialogs:
        dialog.close()
        dialog.deleteLater()
