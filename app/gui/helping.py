"""F1: opens the help at what has the keyboard focus; the counters of the open session's servers are a page
of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QDialog, QTabWidget, QWidget
from shiboken6 import isValid

from app.gui.actions import action
from app.gui.desk import Desk
from app.gui.help_topics import PAGES, Topic, find_topics, read_topics, topic_named, with_sections
from app.gui.jobs import Job
from sessions.store import SessionReader
from viewmodels.catalogue_difference import catalogue_differences, differences_page
from viewmodels.reference import Reference
from widgets.esxtop import EsxtopView
from widgets.findings.card import FindingCard
from widgets.help import HelpPageEntry, HelpWindow

_MOST_HITS = 60
_SHORTCUT = "help-of-the-dialog"
_SERVERS = "server-counters"
_SERVERS_TITLE = "Counters of the recorded servers"
OF_PLACES = {
    "start": "window#the-start-page",
    "scope-bar": "window#the-scope-bar",
    "panel-inventory": "window#inventory",
    "panel-overview": "window#overview",
    "panel-charts": "window#charts",
    "panel-esxtop": "window#esxtop",
    "panel-heatmap": "window#heat-map",
    "panel-tests": "tests",
    "panel-steps": "tests",
    "panel-troubleshoot": "window#troubleshoot",
    "panel-compare": "window#compare",
    "panel-comparing": "window#compare",
    "panel-report": "window#report",
    "panel-reporting": "window#report",
    "panel-moved": "window#what-moved-with-it",
    "panel-findings": "window#findings",
    "panel-timeline": "window#timeline",
    "panel-jobs": "window#jobs",
    "sources": "window#status-bar",
    "connect": "window#connecting",
    "panel-sources": "window#sources",
    "trust": "window#connecting",
    "password": "window#connecting",
    "preferences": "settings",
    "export": "guide#5-take-it-along",
    "mark-note": "guide#4-note-what-happens",
    "shortcut-sheet": "shortcuts",
}
"""The section for the widget with this object name, and everything in it."""


class Helping(QObject):
    """Owns the help window, which is made when it is first asked for."""

    def __init__(self, desk: Desk, window: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._window = desk, window
        self._topics: Sequence[Topic] = ()
        self._servers: Topic | None = None
        self._help: HelpWindow | None = None
        self._parent = window
        desk.topics.wanted.connect(self.show)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._offer_in_dialog)
        desk.thresholds.changed.connect(self._forget)

    def _forget(self) -> None:
        """Read the topics anew when they are next asked for: they tell what judges storage."""
        self._topics = ()

    def show_for_focus(self) -> None:
        """Show the section about what has the focus; without one the page about the window."""
        self.show(topic_of(self._window.focusWidget() or self._window.findChild(QTabWidget)))

    def show(self, key: str) -> None:
        """Show a section, or the first of a page."""
        modal = QApplication.activeModalWidget()  # which holds back every window but its own
        self._parent = modal if isinstance(modal, QDialog) else self._window
        self._show(key)

    def _offer_in_dialog(self, _old: QWidget | None, widget: QWidget | None) -> None:
        """Give a dialog of this window a key of its own: the window's are not heard while it is open."""
        dialog = widget.window() if widget is not None else None
        is_ours = isinstance(dialog, QDialog) and self._window.isAncestorOf(dialog.parentWidget() or dialog)
        is_direct = isinstance(dialog, QDialog) and dialog.parentWidget() is self._window
        if dialog is None or not (is_ours or is_direct) or dialog.findChild(QShortcut, _SHORTCUT):
            return
        keys = QShortcut(QKeySequence(action("help.focus").keys[0]), dialog)
        keys.setObjectName(_SHORTCUT)
        keys.activated.connect(lambda: self._show_in_dialog(dialog))

    def _show_in_dialog(self, dialog: QWidget) -> None:
        """Show the section about what has the focus in a window that the dialog does not hold back."""
        self._parent = dialog
        self._show(topic_of(dialog.focusWidget() or dialog))

    def _show(self, key: str) -> None:
        if self._topics:
            self._open(key)
            return

        desk = self._desk
        problems = desk.problems.judged_by(desk.thresholds.limits.own)

        def work(_job: Job) -> list[Topic]:
            reference = Reference(problems, desk.catalogue, desk.screens, desk.limits)
            return read_topics(docs_folder(), desk.screens, desk.catalogue, reference)

        def done(topics: list[Topic]) -> None:
            self._topics = topics
            self._open(key)

        self._desk.jobs.start("help.read", "Opening the help", work, done)

    def show_server_counters(self) -> None:
        """Show which counters the servers of the open session have that our catalogue lacks, and lack of it.

        The page is that of the session which was open when it was asked for.
        """

        def work(reader: SessionReader, _job: Job) -> str:
            facts, entities = reader.facts(), reader.entities()
            return differences_page(catalogue_differences(facts, entities, self._desk.catalogue))

        def done(page: str) -> None:
            self._servers = Topic(_SERVERS, _SERVERS_TITLE, page, is_first=True)
            self.show(_SERVERS)

        self._desk.session.query("help.server_counters", work, done)

    def _open(self, key: str) -> None:
        view = self._view()
        self._show_topic(key)
        view.show()
        view.raise_()
        view.activateWindow()
        view.text.setFocus()

    def _view(self) -> HelpWindow:
        """Return the help window of the window, or of the dialog that is open over it."""
        if self._help is not None and (not isValid(self._help) or self._help.parent() is not self._parent):
            if isValid(self._help):
                self._help.deleteLater()
            self._help = None
        if not isValid(self._parent):  # the dialog was closed while the pages were read
            self._parent = self._window
        view = self._help
        if view is None:
            view = self._help = HelpWindow(self._desk.theme, self._parent)
            if isinstance(self._parent, QDialog):
                self._parent.finished.connect(view.deleteLater)
            view.show_contents(contents(self._topics))
            view.wanted.connect(self._show_topic)
            view.searched.connect(self._search)
            view.left.connect(lambda address: QDesktopServices.openUrl(QUrl(address)))
        return view

    def _show_topic(self, key: str) -> None:
        topic = self._servers if key == _SERVERS else None
        topic = topic or topic_named(self._topics, key) or next(iter(self._topics), None)
        if topic is not None and self._help is not None:
            self._help.show_section(topic.key, with_sections(topic, self._topics))

    def _search(self, words: str) -> None:
        titles = dict(PAGES)
        hits = find_topics(self._topics, words)[:_MOST_HITS]
        if self._help is not None:
            self._help.show_hits(
                [(f"{titles[topic.page]} › {topic.shown_title}", piece, topic.key) for topic, piece in hits]
            )


def contents(topics: Sequence[Topic]) -> list[HelpPageEntry]:
    """Return the contents: pages with their sections."""
    titles = dict(PAGES)
    pages = []
    for page, members in groupby(topics, key=lambda one: one.page):
        sections = tuple((one.shown_title, one.key) for one in members if not one.is_first)
        pages.append(HelpPageEntry(titles[page], page, sections))
    return pages


def topic_of(widget: QWidget | None) -> str:
    """Return the key of the section about a widget: a finding's problem, the columns of an esxtop screen,
    or what it says itself by its property ``topic``.
    """
    while widget is not None:
        if isinstance(widget, FindingCard):
            return f"problems#{widget.finding.problem}"
        if isinstance(widget, EsxtopView):
            return f"esxtop#{widget.chosen_screen.title}"
        if widget.property("topic"):
            return str(widget.property("topic"))
        if widget.objectName() in OF_PLACES:
            return OF_PLACES[widget.objectName()]
        page = widget.currentWidget() if isinstance(widget, QTabWidget) else None
        if page is not None and page.objectName() in OF_PLACES:  # its tabs have the focus: what they show
            return OF_PLACES[page.objectName()]
        widget = widget.parentWidget()
    return PAGES[0][0]


def docs_folder() -> Path:
    """Return the folder of the pages, also in a frozen program."""
    return Path(__file__).resolve().parents[2] / "docs"
