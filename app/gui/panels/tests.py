"""The page of guided tests: all of them, or a step of the one that is set up, running or done."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QStackedWidget, QVBoxLayout, QWidget

from app.gui.desk import Desk
from app.gui.panels.tests_looks import LookPage
from app.gui.panels.tests_runs import RunPages
from app.gui.panels.tests_setup import SetupPages
from wizards.flows.cards import card_groups
from wizards.flows.gallery import CardGroup
from wizards.pages.check_plan import CheckPlanPage
from wizards.pages.choose import ChoosePage
from wizards.pages.gallery import GalleryView
from wizards.pages.lab_bar import LabBar
from wizards.pages.result_page import ResultPage
from wizards.pages.run_page import RunPage

_Page = GalleryView | ChoosePage | CheckPlanPage | RunPage | ResultPage
LABS = (
    ("lab:default", "as it is by default"),
    ("lab:congested", "a datastore that is full"),
    ("lab:idle", "a datastore that is idle"),
    ("lab:imbalanced", "an imbalanced cluster"),
    ("lab:balanced", "a balanced cluster"),
)


class TestsPanel(QObject):
    """Shows the gallery while no test is open, else the page of the step."""

    __test__ = False  # pytest: this is none of its tests

    def __init__(self, desk: Desk) -> None:
        self.view = QWidget()
        super().__init__(self.view)
        self._desk, self._tests = desk, desk.tests
        theme = desk.theme
        self.gallery = GalleryView(theme, self._day)
        self._setup_pages, self._run_pages = SetupPages(desk, self.view), RunPages(desk, self.view)
        self._look = LookPage(desk, self._run_pages.result, self.view)
        self._bar = LabBar(theme, LABS)
        self._stack = QStackedWidget()
        setup, runs = self._setup_pages, self._run_pages
        for page in (self.gallery, setup.choose, setup.check_plan, runs.run, runs.result):
            self._stack.addWidget(page)
        column = QVBoxLayout(self.view)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._bar)
        column.addWidget(self._stack, 1)
        self.view.setAccessibleName("Guided tests")
        self.view.setFocusProxy(self.gallery)
        self._connect()

    def _connect(self) -> None:
        desk, tests = self._desk, self._tests
        tests.changed.connect(self._show_gallery)
        desk.session.opened.connect(lambda _snapshot: self._show_gallery())
        desk.times.changed.connect(lambda _clock: self._show_gallery())
        tests.opened.connect(self._show_step)
        self.gallery.chosen.connect(tests.begin)
        self.gallery.set_up.connect(tests.set_up)
        self.gallery.bar.restored.connect(lambda _run: desk.recording.act_on_run("restore"))
        self.gallery.bar.resumed.connect(lambda _run: desk.recording.act_on_run("resume"))
        self.gallery.bar.journal_wanted.connect(self._recall)
        self.gallery.plan_wanted.connect(self._setup_pages.files.ask_run)
        self.gallery.recalled.connect(self._recall)
        self._bar.chosen.connect(self._change_lab)

    def _recall(self, identity: str) -> None:
        run = self._tests.records.run(identity)
        if run is not None:
            self._tests.open(run.test, "result", run.id)

    def _change_lab(self, address: str) -> None:
        tests = self._tests
        tests.places.lab = address
        if tests.test in tests.known.tests and not tests.run:
            tests.setup.begin(tests.known.require(tests.test), tests.places.place("lab"))

    def _show_gallery(self) -> None:
        tests = self._tests
        self._bar.setVisible(tests.places.connected.reach == "lab")
        self.gallery.show_groups(self._groups())
        self.gallery.show_interrupted(tests.interrupted(self._day))

    def _groups(self) -> list[CardGroup]:
        tests, records = self._tests, self._tests.records
        least_s = tests.studies.drs.record_least_s.value
        return card_groups(
            tests.known,
            tests.places.connected,
            records.runs,
            tests.live,
            records.recorded,
            least_s,
            records.journal,
        )

    def _show_step(self) -> None:
        setup, runs = self._setup_pages, self._run_pages
        pages: dict[str, _Page] = {
            "choose": setup.choose,
            "check": setup.check_plan,
            "plan": setup.check_plan,
        }
        pages |= {"run": runs.run, "result": runs.result, "look": runs.result}
        self._bring(pages.get(self._tests.step, self.gallery))
        self._bar.show_lab(self._tests.places.lab)

    def _bring(self, page: _Page) -> None:
        """Bring a page to the front; the keys go on there if they were on the page before."""
        before, focus = self._stack.currentWidget(), QApplication.focusWidget()
        had_keys = focus is not None and self._stack.isAncestorOf(focus)
        if page is self._run_pages.result and before is self._run_pages.run:
            page.head.hold_load()
        self._stack.setCurrentWidget(page)
        self.view.setFocusProxy(page)
        if had_keys and page is not before:
            page.take_focus()

    def _day(self, at: int) -> str:
        """Return the day of a time as a card shows it: ``12 Nov``."""
        moment = self._desk.times.clock(at)
        year = "" if moment.year == datetime.now(UTC).year else f" {moment.year}"
        return f"{moment.day} {moment:%b}{year}"


def make(desk: Desk) -> QWidget:
    """Return the view of the panel; the view owns the panel."""
    return TestsPanel(desk).view
