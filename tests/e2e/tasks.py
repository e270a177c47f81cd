"""Everyday tasks with a real mouse and real keys, counted: how many clicks and keys each of them takes.

``python -m tests.e2e.tasks HOME CAPTURE SESSION`` prints one JSON document: for each task what it took, and
whether what was wanted came of it. What a task begins with (a page in front, a focus) is not counted; typed
texts are named, not counted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QModelIndex, QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QPushButton, QTreeView, QWidget

from app.gui.application import Program, build
from sessions.model import EntityRef
from tests.e2e.hands import WaitTimeoutError, drag, let_run, one_visible, press, type_, until
from tests.e2e.scenes import has_curves
from viewmodels.snapshot import Snapshot
from widgets.charts.page import ChartsPage
from widgets.esxtop import EsxtopView
from widgets.findings import FindingsView
from widgets.heatmap import HeatmapView
from widgets.inventory import InventoryView
from widgets.marks import MarkNote

NOTE = "users call"
_SOON_S = 60.0


@dataclass
class Deed:
    """What a task took: clicks (a drag is one), keys (a chord is one), and what was typed."""

    task: str
    clicks: int = 0
    keys: int = 0
    typed: list[str] = field(default_factory=list)
    done: bool = False
    why: str = ""

    @property
    def limits(self) -> tuple[int, int]:
        """The most clicks and keys that it may take."""
        if self.task.endswith("keys alone"):
            return 0, 2
        return LIMITS[self.task.partition(":")[0]]

    @property
    def holds(self) -> bool:
        """True if it was done within its limits."""
        clicks, keys = self.limits
        return self.done and self.clicks <= clicks and self.keys <= keys


class User:
    """A hand on mouse and keyboard that counts into the deed of the present task."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.deed = Deed("")

    def click(self, widget: QWidget, at: QPoint | None = None, button: int = 1, held: str = "") -> None:
        """Click once, perhaps with a key held down."""
        self.deed.clicks += 1
        point = widget.mapToGlobal(at or widget.rect().center())
        keys = (["keydown", held], ["keyup", held]) if held else ([], [])
        self._do("mousemove", str(point.x()), str(point.y()), *keys[0], "click", str(button), *keys[1])

    def press(self, keys: str) -> None:
        """Press a key or a chord."""
        self.deed.keys += 1
        press(keys)

    def type(self, text: str) -> None:
        """Type a text."""
        self.deed.typed.append(text)
        type_(text)

    def choose(self, text: str) -> None:
        """Click the entry of the open menu that begins with ``text``."""
        until("a menu", lambda: isinstance(QApplication.activePopupWidget(), QMenu), _SOON_S)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        entry = next(one for one in menu.actions() if one.text().replace("&", "").startswith(text))
        self.click(menu, menu.actionGeometry(entry).center())

    def _do(self, *commands: str) -> None:
        subprocess.run(["xdotool", *commands], check=True, env=dict(os.environ), timeout=20)
        let_run(0.4)


def first_finding(user: User, capture: Path) -> None:
    """From a capture in a folder to the first finding."""
    window = user.program.window
    command = [sys.executable, "-m", "tests.e2e.file_source", str(capture), "20", "780"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as files:
        assert files.stdout is not None
        files.stdout.readline()
        let_run(1.0)
        user.deed.clicks += 1
        drag(QPoint(100, 820), window.mapToGlobal(window.rect().center()))
        files.terminate()
    until("a finding", lambda: one_visible(window, FindingsView).cards)


def evidence_by_mouse(user: User) -> None:
    """From a finding to the chart of its evidence."""
    panel = one_visible(user.program.window, FindingsView)
    until("the buttons of the first finding", lambda: _shown(panel, "Show me"))
    user.click(_shown(panel, "Show me")[0])
    _evidence(user)


def evidence_by_keys(user: User) -> None:
    """From a finding to the chart of its evidence, without a mouse."""
    user.press("ctrl+6")
    user.press("Return")
    _evidence(user)


def two_vms_by_mouse(user: User) -> None:
    """Two VMs on one chart."""
    one, two = _vms(user)[:2]
    view = one_visible(user.program.window, InventoryView)
    for number, ref in enumerate((one, two)):
        box = _row_of(view.tree, user, ref)
        user.click(view.tree.viewport(), box, held="ctrl" if number else "")
    _on_one_chart(user, one, two)


def two_vms_by_keys(user: User) -> None:
    """Two VMs on one chart, without a mouse."""
    one, two = _vms(user)[:2]
    snapshot = _snapshot(user)
    user.press("ctrl+l")
    user.type(f'"{snapshot.name(one)}", "{snapshot.name(two)}"')
    user.press("Return")
    _on_one_chart(user, one, two)


def picture_by_mouse(user: User) -> None:
    """The picture of a chart in a file."""
    card = one_visible(user.program.window, ChartsPage).stack.cards[0]
    user.click(card.plot, button=3)
    user.choose("Save picture")
    _saved(user, "by-mouse.png")


def picture_by_keys(user: User) -> None:
    """The picture of a chart in a file, without a mouse."""
    one_visible(user.program.window, ChartsPage).stack.cards[0].plot.setFocus()
    let_run(0.2)
    user.press("ctrl+s")
    _saved(user, "by-keys.png")


def exact_time(user: User) -> None:
    """An exact time, typed."""
    span = _snapshot(user).span
    assert span is not None
    user.press("ctrl+l")
    user.type("02:50")
    user.press("Return")
    until("the moment", lambda: user.program.desk.moment.at is not None, _SOON_S)
    at = user.program.desk.moment.at
    assert at is not None
    assert at % 3_600_000 == 50 * 60_000


def worst_by_mouse(user: User) -> None:
    """The worst of some forty VMs."""
    tabs = user.program.window.pages.tabBar()
    number = next(n for n in range(tabs.count()) if tabs.tabText(n).replace("&", "") == "Heat map")
    user.click(tabs, tabs.tabRect(number).center())
    _worst_first(user)


def worst_by_keys(user: User) -> None:
    """The worst of some forty VMs, without a mouse."""
    user.press("ctrl+4")
    _worst_first(user)


def note_at_the_moment(user: User) -> None:
    """A note at the pinned moment."""
    span = _snapshot(user).span
    assert span is not None
    at = (span.start + span.end) // 2
    user.program.desk.moment.pin(at)
    let_run(0.3)
    at = user.program.desk.moment.at or at
    user.press("m")
    note = one_visible(user.program.window, MarkNote)
    until("the note has the keyboard", note.line.hasFocus, _SOON_S)
    type_(NOTE)
    press("Return")
    until("the mark", lambda: [(one.text, one.at) for one in _snapshot(user).marks] == [(NOTE, at)], _SOON_S)


def table_to_the_clipboard(kind: str) -> Callable[[User], None]:
    """Return the task: a whole table to the clipboard."""

    def task(user: User) -> None:
        window = user.program.window
        page, view = {
            "esxtop": ("esxtop", lambda: one_visible(window, EsxtopView).table),
            "heat map": ("heatmap", lambda: one_visible(window, HeatmapView).map),
            "inventory": ("inventory", lambda: one_visible(window, InventoryView).tree),
        }[kind]
        window.show_panel(page)
        let_run(1.0)
        if kind == "esxtop":
            until("its rows", lambda: one_visible(window, EsxtopView).table.model().rowCount() > 3, _SOON_S)
        view().setFocus()
        QGuiApplication.clipboard().clear()
        let_run(0.3)
        user.press("ctrl+a")
        user.press("ctrl+c")
        until("a table", lambda: QGuiApplication.clipboard().text().count("\n") >= 3, _SOON_S)
        assert "\t" in QGuiApplication.clipboard().text()

    return task


def _evidence(user: User) -> None:
    until("the evidence", lambda: has_curves(user.program) and _is_in_front(user, ChartsPage), _SOON_S)
    assert user.program.desk.scope.scope.entities


def _on_one_chart(user: User, one: EntityRef, two: EntityRef) -> None:
    def together() -> bool:
        by_id = _snapshot(user).by_id
        return any(
            {by_id[number].entity for number in chart.series} >= {one, two}
            for chart in user.program.desk.charts.charts
        )

    until("a chart of both", together, _SOON_S)
    assert _is_in_front(user, ChartsPage)


def _saved(user: User, name: str) -> None:
    dialog = one_visible(user.program.window, QFileDialog)
    path = Path(dialog.directory().absolutePath()) / name
    type_(str(path))
    press("Return")
    until("the file", lambda: path.is_file() and path.stat().st_size > 5_000, _SOON_S)
    path.unlink()


def _worst_first(user: User) -> None:
    map_ = one_visible(user.program.window, HeatmapView).map
    until("the map", lambda: len(map_.heat.rows) > 10, _SOON_S)
    worst = np.nanmax(map_.heat.values, axis=1)
    assert worst[0] == worst.max()


def _shown(panel: QWidget, text: str) -> list[QPushButton]:
    buttons = [one for one in panel.findChildren(QPushButton) if one.isVisible() and one.text() == text]
    return [one for one in buttons if not one.visibleRegion().isEmpty()]


def _row_of(tree: QTreeView, user: User, ref: EntityRef) -> QPoint:
    """Return where an entity's row is, scrolled to."""
    name = _snapshot(user).name(ref)
    index = _find(tree, QModelIndex(), name)
    assert index is not None, name
    tree.scrollTo(index)
    let_run(0.3)
    return tree.visualRect(index).center()


def _find(tree: QTreeView, parent: QModelIndex, name: str) -> QModelIndex | None:
    model = tree.model()
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        if str(index.data()) == name:
            return index
        if (found := _find(tree, index, name)) is not None:
            return found
    return None


def _vms(user: User) -> list[EntityRef]:
    snapshot = _snapshot(user)
    host = next(ref for ref in snapshot.entities if ref.kind == "host")
    return [ref for ref in snapshot.entities if ref.kind == "vm" and snapshot.host_of(ref) == host]


def _snapshot(user: User) -> Snapshot:
    snapshot = user.program.desk.session.whole
    assert snapshot is not None
    return snapshot


def _is_in_front(user: User, kind: type[QWidget]) -> bool:
    return any(one.isVisible() for one in user.program.window.findChildren(kind))


LIMITS = {
    "capture → first finding": (2, 0),
    "finding → chart": (1, 0),
    "two VMs on one chart": (2, 0),
    "picture to a file": (2, 0),
    "exact time": (0, 2),
    "worst of 40 VMs": (1, 0),
    "note at the pinned moment": (0, 1),
    "table to the clipboard": (0, 2),
}
"""The most clicks and keys of each task, besides what is typed; without a mouse, two keys do each of them."""

Task = tuple[str, str, Callable[[User], None]]
TASKS: tuple[Task, ...] = (
    ("finding → chart", "findings", evidence_by_mouse),
    ("finding → chart, keys alone", "findings", evidence_by_keys),
    ("two VMs on one chart", "charts", two_vms_by_mouse),
    ("two VMs on one chart, keys alone", "charts", two_vms_by_keys),
    ("picture to a file", "charts", picture_by_mouse),
    ("picture to a file, keys alone", "charts", picture_by_keys),
    ("exact time", "charts", exact_time),
    ("worst of 40 VMs", "overview", worst_by_mouse),
    ("worst of 40 VMs, keys alone", "overview", worst_by_keys),
    ("note at the pinned moment", "charts", note_at_the_moment),
    ("table to the clipboard: esxtop", "esxtop", table_to_the_clipboard("esxtop")),
    ("table to the clipboard: heat map", "heatmap", table_to_the_clipboard("heat map")),
    ("table to the clipboard: inventory", "inventory", table_to_the_clipboard("inventory")),
)
"""What is counted, the panel that it begins on, and how it is done."""


def main() -> int:
    """Do all tasks, each on the session as it is when just opened."""
    home, capture, session = map(Path, sys.argv[1:])
    application = QApplication(sys.argv[:1])
    program = build(application, home / "settings")
    program.desk.settings.set("record.folder", str(home / "recordings"))
    program.window.resize(1440, 860)
    program.window.show()
    program.window.activateWindow()
    until("the window", lambda: program.window.windowHandle().isExposed() and program.window.isActiveWindow())
    let_run(0.5)
    user, deeds = User(program), list[Deed]()

    def do(name: str, task: Callable[[], None]) -> None:
        user.deed = Deed(name)
        try:
            task()
            user.deed.done = True
        except (AssertionError, WaitTimeoutError, StopIteration, subprocess.SubprocessError) as error:
            user.deed.why = f"{type(error).__name__}: {error}"
            safe = "".join(sign if sign.isalnum() else "-" for sign in name)
            QGuiApplication.primaryScreen().grabWindow(0).save(str(home / f"{safe}.png"))
            press("Escape")
        deeds.append(user.deed)

    do("capture → first finding", lambda: first_finding(user, capture))
    program.workbench.importing.shutdown()
    for name, page, task in TASKS:
        program.desk.session.close()
        let_run(0.3)
        program.desk.session.open(session)
        until("the session", lambda: program.desk.session.snapshot is not None)
        until("its findings", lambda: program.desk.findings.findings)
        program.desk.charts.release()
        program.desk.moment.release()
        program.desk.scope.reset()
        program.window.show_panel("charts" if page == "findings" else page)
        program.window.show_panel(page)
        let_run(1.5)
        do(name, partial(task, user))
    program.window.close()
    print(json.dumps([asdict(deed) for deed in deeds]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
