"""The window's frame: top bar, docks around the pages, messages over them, and the status bar."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QLineEdit,
    QMainWindow,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.gui.actions import ACTIONS
from app.gui.desk import Area, Desk, PanelSpec
from app.gui.dock_places import DockPlaces, make_room
from app.gui.layout import SavedLayout, put_dock
from app.gui.menus import Header, Menus
from app.gui.page_tabs import PageTabs
from app.gui.status_bar import StatusBar
from app.gui.tab_order import neighbour, tab_stops
from app.gui.top_bar import TopBar
from widgets.messages import Messages
from widgets.pane import Pane, PaneTitle
from widgets.start import DropHint
from widgets.theme import Theme

_AREAS: dict[Area, Qt.DockWidgetArea] = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}
_PLACES = {
    area: number
    for number, area in enumerate(
        (
            Qt.DockWidgetArea.LeftDockWidgetArea,
            Qt.DockWidgetArea.RightDockWidgetArea,
            Qt.DockWidgetArea.TopDockWidgetArea,
            Qt.DockWidgetArea.BottomDockWidgetArea,
            Qt.DockWidgetArea.NoDockWidgetArea,
        )
    )
}
_STANDARD = QSize(1440, 900)
_DRAG_LOOK_MS = 50
_FRAME = QSize(16, 48)
"""Assumed size of the window manager's frame; the real one is known only when the window is shown."""


class Window(QMainWindow):
    """The main window; it knows panels only as a table.

    Signals: ``dragged`` when files are dragged over it, ``dropped`` with the paths of dropped files,
    ``closing`` before it closes. ``start`` is the page for no session. ``bind`` sets what the actions do.
    """

    dropped = Signal(object)
    dragged = Signal()
    closing = Signal()

    def __init__(self, theme: Theme, layout: SavedLayout, start: QWidget) -> None:
        super().__init__()
        self._theme = theme
        self._layout = layout
        self.guard: Callable[[], bool] = lambda: True
        self.setWindowTitle("Hyperscope")
        self.setObjectName("window")
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(True)
        self.setMinimumSize(960, 600)
        self.resize(_STANDARD)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.BottomDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.BottomDockWidgetArea)
        self.actions_by_id = self._make_actions()
        self._menus = Menus(self.actions_by_id, self)
        self.top = TopBar(theme, self.actions_by_id, self._menus.whole)
        self.header = Header(self._menus, self.top)
        self.setMenuWidget(self.header)
        self.pages = PageTabs(theme)
        self.pages.setObjectName("work-pages")
        self.pages.tabBar().setChangeCurrentOnDrag(True)
        self.pages.setAccessibleName("Views")
        self.pages.tabBar().setAccessibleName("Views")
        self._stack = QStackedWidget()
        self._stack.setObjectName("pages")
        self._start = start
        self._stack.addWidget(start)
        self._stack.addWidget(self.pages)
        work = QWidget()
        work.setObjectName("work")
        column = QVBoxLayout(work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._stack, 1)
        self.setCentralWidget(work)
        self.messages = Messages(theme, work)
        self.status = StatusBar(theme)
        bar = self.statusBar()
        bar.setSizeGripEnabled(False)
        bar.setContentsMargins(0, 0, 0, 0)
        bar.addWidget(self.status, 1)
        self._hint = DropHint(theme, self)
        self._docks: dict[str, QDockWidget] = {}
        self.places = DockPlaces(self._docks)
        self._panels: Sequence[PanelSpec] = ()
        self._wanted: dict[str, bool] = {}
        self._panel_actions: dict[str, QAction] = {}
        theme.changed.connect(self._dress)
        self._dress()

    def fit_screen(self) -> None:
        """Shrink the window to the screen, so that the status bar is visible on a small one."""
        if not self.isMaximized() and not self.isFullScreen():
            room = self.screen().availableGeometry().size() - _FRAME
            self.setMinimumSize(self.minimumSize().boundedTo(room))  # 1366 × 768 at 150 % is 910 × 512
            self.resize(self.size().boundedTo(room).expandedTo(self.minimumSize()))

    def add_panels(self, panels: Sequence[PanelSpec], desk: Desk) -> None:
        """Create the panels: pages in the middle, docks around them."""
        self._panels = panels
        for spec in panels:
            widget = spec.make(desk)
            widget.setObjectName(f"panel-{spec.id}")
            if spec.area == "center":
                self.pages.add_page(widget, spec.title, spec.icon)
                self._menus.add_page(self._add_key(spec, partial(self.show_page, widget)))
            else:
                self._add_dock(spec, widget)
        self.pages.currentChanged.connect(self._check_page)
        _give_standard_sizes(self, self._docks, self._panels)
        self._layout.restore(self)
        passing = {spec.id for spec in panels if spec.is_passing}
        self._wanted = {key: on for key, on in self._layout.wanted().items() if key not in passing}
        self._check_page()
        self.show_session(open_=False)

    @property
    def commands(self) -> Mapping[str, QAction]:
        """All actions by id, those that open panels included."""
        panels = {f"panel.{identity}": one for identity, one in self._panel_actions.items()}
        return {**self.actions_by_id, **panels}

    def bind(self, handlers: Mapping[str, Callable[[], None]]) -> None:
        """Set the handlers of the actions by id; KeyError if an action of the table has none."""
        for identity, made in self.actions_by_id.items():
            handler = handlers[identity]
            made.triggered.connect(lambda _checked=False, handler=handler: handler())

    def show_session(self, *, open_: bool) -> None:
        """Show the pages and docks, or with ``open_`` False the start page."""
        self.places.forget()
        wide = QSizePolicy.Policy.Ignored if open_ else QSizePolicy.Policy.Preferred
        self._start.setSizePolicy(wide, QSizePolicy.Policy.Preferred)  # else it squeezes the docks
        self._stack.setCurrentIndex(1 if open_ else 0)
        for spec in self._panels:
            dock = self._docks.get(spec.id)
            if dock is not None:
                dock.setVisible(open_ and self._wanted.get(spec.id, spec.shown))
        self.places.keep_widths()
        self._check_page()
        for spec_action in ACTIONS:
            if spec_action.needs_session:
                self.actions_by_id[spec_action.id].setEnabled(open_)
        for one in self._panel_actions.values():
            one.setEnabled(open_)

    def show_page(self, page: QWidget) -> None:
        """Bring a page of the middle to the front."""
        self.pages.setCurrentWidget(page)
        page.setFocus(Qt.FocusReason.OtherFocusReason)

    def dock(self, identity: str) -> QDockWidget:
        """Return the dock of a panel; KeyError for a page."""
        return self._docks[identity]

    def show_panel(self, identity: str, *, take_keys: bool = True, part: str = "") -> None:
        """Bring a panel to the front.

        ``take_keys`` False leaves the keyboard focus with a dock that has it. ``part`` is the object name of
        the widget in a dock that gets the focus.
        """
        dock = self._docks.get(identity)
        if dock is not None:
            self._wanted[identity] = True
            was_hidden = dock.isHidden()
            dock.show()
            dock.raise_()
            if was_hidden:
                make_room(self, dock, self._docks.values())
            widget = dock.widget().findChild(QWidget, part) if part else dock.widget()
            if widget is not None:
                widget.setFocus(Qt.FocusReason.ShortcutFocusReason)
            if isinstance(widget, QLineEdit):
                widget.selectAll()
            return
        page = self.pages.findChild(QWidget, f"panel-{identity}")
        if page is None:
            return
        keys_at = self.focusWidget()
        if take_keys or keys_at is None or self.pages.isAncestorOf(keys_at):
            self.show_page(page)
        else:
            self.pages.setCurrentWidget(page)

    def reset_layout(self) -> None:
        """Put every panel back to its standard place; if a mouse button is pressed, after its release.

        Qt crashes when docks are put back while one of them, or the line between two, is being dragged.
        """
        if QApplication.mouseButtons() != Qt.MouseButton.NoButton:
            QTimer.singleShot(_DRAG_LOOK_MS, self, self.reset_layout)
            return
        self._wanted.clear()
        for spec in self._panels:
            if spec.id in self._docks:
                put_dock(self, self._docks[spec.id], _AREAS[spec.area])
        _give_standard_sizes(self, self._docks, self._panels)
        self.show_session(open_=self._stack.currentIndex() == 1)

    def focusNextPrevChild(self, next_: bool) -> bool:  # noqa: N802
        """Go on to the next place for the keyboard focus, part by part: top, left, middle, right, below."""
        placed = sorted(self._docks.values(), key=lambda one: (_PLACES[self.dockWidgetArea(one)], one.y()))
        left = [one for one in placed if self.dockWidgetArea(one) == _AREAS["left"]]
        others = [one for one in placed if one not in left]
        parts = [self.header, *left, self._stack, self.messages, *others, self.status]
        found = neighbour(tab_stops(self, parts), self.focusWidget(), forward=next_)
        if found is None:
            return super().focusNextPrevChild(next_)
        reason = Qt.FocusReason.TabFocusReason if next_ else Qt.FocusReason.BacktabFocusReason
        found.setFocus(reason)
        return True

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Save the layout and emit ``closing``, unless ``guard`` returns False."""
        if not self.guard():
            event.ignore()
            return
        self._layout.save(self, self._wanted)
        self.hide()  # a recording takes seconds to end; nobody should look at a window that answers nothing
        self.closing.emit()
        event.accept()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Accept files that are dragged over the window, and show that they can be dropped."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()
            self._hint.show_text("Drop sessions to open them, captures and logs to import them")
            self.dragged.emit()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: N802
        """Hide the drop hint."""
        self._hint.hide()
        event.accept()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Emit ``dropped`` with the paths of the files."""
        self._hint.hide()
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.dropped.emit(paths)

    def _make_actions(self) -> dict[str, QAction]:
        made: dict[str, QAction] = {}
        for spec in ACTIONS:
            one = QAction(spec.title, self)
            one.setShortcuts([QKeySequence(key) for key in spec.keys])
            one.setToolTip(spec.help or spec.title.rstrip("…"))
            one.setEnabled(not spec.needs_session and not spec.managed)
            one.setCheckable(spec.checkable)
            self.addAction(one)
            made[spec.id] = one
        return made

    def _check_page(self) -> None:
        page = self.pages.currentWidget()
        name = page.objectName() if page is not None else ""
        for identity, one in self._panel_actions.items():
            if one.isCheckable():
                one.setChecked(name == f"panel-{identity}")
        if self._stack.currentIndex():
            front = next((one for one in self._panels if name == f"panel-{one.id}"), None)
            self.places.show_beside(front.beside if front is not None else None)

    def _add_key(self, spec: PanelSpec, show: Callable[[], None]) -> QAction:
        one = QAction(spec.title, self)
        one.setShortcuts([QKeySequence(key) for key in spec.keys])
        one.triggered.connect(lambda _checked=False: show())
        one.triggered.connect(self._check_page)  # a click on the page in front took its check mark away
        self.addAction(one)
        self._panel_actions[spec.id] = one
        return one

    def _add_dock(self, spec: PanelSpec, widget: QWidget) -> None:
        dock = QDockWidget(spec.title, self)
        dock.setObjectName(f"dock-{spec.id}")
        beside = spec.area == "bottom"
        title = PaneTitle(spec.title, dock, self._theme, beside=beside)
        if beside:
            dock.setFeatures(dock.features() | QDockWidget.DockWidgetFeature.DockWidgetVerticalTitleBar)
        dock.setTitleBarWidget(title)
        dock.setWidget(widget)
        if isinstance(widget, Pane):
            widget.note_changed.connect(title.show_note)
        put_dock(self, dock, _AREAS[spec.area])
        dock.setVisible(spec.shown)
        toggle = dock.toggleViewAction()
        toggle.triggered.connect(lambda on, identity=spec.id: self._wanted.__setitem__(identity, on))
        toggle.triggered.connect(lambda on: make_room(self, dock, self._docks.values()) if on else None)
        title.closed.connect(toggle.trigger)
        self._menus.add_pane(toggle, spec.keys[0] if spec.keys else "")
        self._docks[spec.id] = dock
        self._add_key(spec, lambda: self.show_panel(spec.id))

    def _dress(self) -> None:
        for spec in ACTIONS:
            if spec.icon:
                self.actions_by_id[spec.id].setIcon(self._theme.icons.get(spec.icon))


def _give_standard_sizes(
    window: QMainWindow, docks: Mapping[str, QDockWidget], panels: Sequence[PanelSpec]
) -> None:
    for area, size, direction in (
        ("left", 268, Qt.Orientation.Horizontal),
        ("right", 372, Qt.Orientation.Horizontal),
        ("bottom", 136, Qt.Orientation.Vertical),
    ):
        members = [docks[spec.id] for spec in panels if spec.area == area and spec.shown]
        window.resizeDocks(members, [size] * len(members), direction)
