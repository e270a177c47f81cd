"""The composition root of the window: creates every model, view and service once, and connects them."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from app.gui import editing, navigation
from app.gui.about import About
from app.gui.actions import ACTIONS
from app.gui.chart_board import ChartBoard
from app.gui.comparison_known import known_of
from app.gui.comparison_model import ComparisonModel
from app.gui.desk import Desk
from app.gui.findings_model import FindingsModel
from app.gui.gap_walk import GapWalk
from app.gui.garbage import GuiGarbage
from app.gui.helping import Helping
from app.gui.jobs import JobRunner
from app.gui.jobs_pane import JobsPane
from app.gui.judging import Judging
from app.gui.judging_cards import JudgingCards
from app.gui.layout import SavedLayout
from app.gui.moment_frame import MomentFrame
from app.gui.moment_model import MomentModel
from app.gui.moved_model import MovedModel
from app.gui.moved_pane import MovedPane
from app.gui.palette import Palette
from app.gui.pane_in_place import PaneInPlace
from app.gui.panels import PANELS, panel_keys
from app.gui.preferences import preferences
from app.gui.recent import RecentSessions
from app.gui.recording import ignore_result
from app.gui.report_material import material_of
from app.gui.report_model import ReportModel
from app.gui.report_putting import ReportPutting
from app.gui.saving import Saving
from app.gui.scope_entry import ScopeEntry
from app.gui.scope_model import ScopeModel
from app.gui.session_model import SessionModel
from app.gui.settings import Settings
from app.gui.shortcut_sheet import ShortcutSheet
from app.gui.sources_model import SourcesModel
from app.gui.storage_classing import StorageClassing
from app.gui.tests_model import TestsModel
from app.gui.threshold_store import ThresholdStore
from app.gui.times import Times
from app.gui.troubleshooting_model import TroubleshootingModel
from app.gui.window import Window
from app.gui.workbench import Workbench
from app.gui.zone_choice import ZoneChoice
from app.memory import trim_allocator
from resources.catalogue import load_catalogue
from resources.failures import HyperscopeError
from resources.foreign_text import shown
from resources.problem_cards import load_problems
from resources.views import load_chart_templates, load_headlines, load_limits, load_overview, load_screens
from viewmodels.scope_labels import session_label
from widgets.inventory import SEARCH_FIELD
from widgets.messages import MessageLog
from widgets.theme import Preference, Theme

_TURN_S = 0.0005
"""Seconds that a worker thread keeps the interpreter lock while the GUI thread waits for it. Painting asks
for the lock hundreds of times; with Python's default of 5 ms a table takes 390 ms beside a diagnosis, with
this 35 ms.
"""


@dataclass(frozen=True)
class Program:
    """The window with its models; the caller shows and closes it."""

    window: Window
    desk: Desk
    workbench: Workbench


def build(application: QApplication, folder: Path | None = None) -> Program:
    """Create the window and everything in it; ``folder`` holds the settings (None: the user's own folder)."""
    sys.setswitchinterval(_TURN_S)
    trim_allocator()
    models = QObject(application)
    settings = Settings(folder, models)
    theme = Theme(application, cast("Preference", settings.text("look.theme")))
    theme.setParent(models)
    jobs = JobRunner(models)
    catalogue, problems = load_catalogue(), load_problems()
    session = SessionModel(jobs, models)
    scope = ScopeModel(models)
    thresholds = ThresholdStore(settings.folder, problems.storage.classes, models)
    judging = Judging(session, problems, catalogue, models, lambda: thresholds.file)
    thresholds.changed.connect(judging.judge_anew)
    findings = FindingsModel(session, judging, models)
    recent = RecentSessions(settings.folder)
    workbench = Workbench(theme, recent, models)
    window = Window(theme, SavedLayout(settings.folder), workbench.start_page)
    saving = Saving(jobs, window, models)
    desk = Desk(
        session=session,
        scope=scope,
        moment=MomentModel(session, models),
        judging=judging,
        findings=findings,
        charts=ChartBoard(models),
        jobs=jobs,
        tests=TestsModel(session, jobs, settings, models),
        comparison=ComparisonModel(session, jobs, (catalogue, problems), models),
        report=ReportModel(session, jobs, models),
        moved=MovedModel(session, jobs, models),
        troubleshooting=TroubleshootingModel(session, jobs, models),
        theme=theme,
        settings=settings,
        thresholds=thresholds,
        times=Times(settings, session, models),
        catalogue=catalogue,
        problems=problems,
        limits=load_limits(problems),
        chart_templates=load_chart_templates(catalogue),
        headlines=load_headlines(catalogue),
        screens=load_screens(catalogue),
        overview=load_overview(catalogue),
        notify=window.messages.notify,
        show_finding=workbench.show_finding,
        drop_mark=workbench.drop_mark,
        save_file=saving.ask,
        reveal=saving.reveal,
        export=workbench.export,
        run_test=workbench.run_test,
        recording=workbench.recording_control,
        sources=SourcesModel(models),
    )
    desk.comparison.known = lambda: known_of(desk)
    desk.report.material = lambda put: material_of(desk, put)
    desk.report.author = lambda: settings.text("report.author")
    desk.troubleshooting.findings = lambda: desk.findings.findings
    desk.troubleshooting.cards = desk.troubleshooting.fix.cards = JudgingCards(problems, thresholds)
    workbench.join(desk, window, saving)
    StorageClassing(desk, models)
    window.destroyed.connect(models.deleteLater)  # settings that another window changes reach it no more
    window.add_panels(PANELS, desk)
    _Frame(window, desk, workbench, window)
    GuiGarbage(window)
    gc.freeze()  # what stands for good need not be searched for garbage whenever a session is read
    return Program(window, desk, workbench)


class _Frame(QObject):
    """Keeps the texts of the frame current: scope bar, status bar, window title, enabled actions."""

    def __init__(self, window: Window, desk: Desk, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._window, self._desk, self._workbench = window, desk, workbench
        self._zone = ZoneChoice(desk, window, self)
        self._entry = ScopeEntry(desk, window.top.scope, self)
        self._helping = Helping(desk, window, self)
        self._putting = ReportPutting(desk, window, self)
        window.bind(self._handlers())
        desk.session.opened.connect(self._opened)
        desk.session.changed.connect(self._update_texts)
        desk.session.changed.connect(lambda _change: self._enable())
        desk.session.closed.connect(self._closed)
        desk.session.failed.connect(self._show_error)
        desk.jobs.complaint.connect(self._show_error)
        desk.jobs.changed.connect(self._show_jobs)
        desk.scope.changed.connect(self._update_texts)
        desk.scope.changed.connect(lambda scope: desk.session.choose_sources(scope.sources))
        window.status.copied.connect(lambda text: desk.notify(text, "ok"))
        window.status.save_wanted.connect(desk.save_file)
        window.status.source_clicked.connect(lambda source: navigation.choose_source(desk, source))
        desk.scope.history_changed.connect(self._enable)
        desk.scope.page_wanted.connect(window.show_panel)
        desk.scope.changed.connect(lambda _scope: self._enable())
        desk.settings.changed.connect(self._settings_changed)
        desk.times.changed.connect(self._update_texts)
        desk.times.changed.connect(lambda _clock: self._show_verdict())
        desk.charts.shown.connect(lambda: window.show_panel("charts", take_keys=False))
        window.status.gap_clicked.connect(GapWalk(desk, self).go)
        window.status.messages_clicked.connect(self._show_messages)
        window.messages.changed.connect(lambda: window.status.show_messages(len(window.messages.past)))
        window.status.verdict_clicked.connect(lambda: window.show_panel("findings"))
        desk.findings.verdict_changed.connect(self._show_verdict)
        window.status.jobs_clicked.connect(JobsPane(desk.jobs, desk.session, window.dock("jobs"), self).show)
        window.closing.connect(self._close)
        desk.tests.opened.connect(self._place_steps)
        desk.tests.asked.connect(lambda: window.show_panel("tests"))
        desk.comparison.asked.connect(lambda: window.show_panel("compare"))
        desk.troubleshooting.asked.connect(lambda: window.show_panel("troubleshoot"))
        desk.report.asked.connect(lambda: window.show_panel("report"))
        window.places.replace("inventory", "comparing", on=True)
        window.places.replace("inventory", "reporting", on=True)
        MomentFrame(window, desk, self)
        MovedPane(window.dock("moved"), window.dock("findings"), desk, self)
        sources = PaneInPlace(window.dock("sources"), window.dock("findings"), desk.session, self)
        window.status.panel_clicked.connect(lambda name: sources.show() if name == "sources" else None)
        self._enable()
        self._show_menu_bar()
        self._closed()

    def _handlers(self) -> dict[str, Callable[[], None]]:
        desk, window = self._desk, self._window
        own: dict[str, Callable[[], None]] = {
            "file.save": lambda: editing.save_focused(desk.notify),
            "file.report": self._putting.put_shown,
            "file.close": desk.session.close,
            "file.preferences": lambda: preferences(desk, window).open(),
            "file.quit": lambda: ignore_result(window.close()),
            "edit.copy": lambda: editing.copy_focused(desk.notify),
            "edit.menu": lambda: editing.open_focused_menu(desk.notify),
            "go.back": desk.scope.back,
            "go.forward": desk.scope.forward,
            "go.follow": lambda: navigation.toggle_follow(desk),
            "go.all": lambda: navigation.show_whole_session(desk),
            "go.release": desk.moment.release,
            "go.moment": lambda: navigation.show_moment(desk),
            "go.scope": self._entry.begin,
            "go.up": self._entry.go_up,
            "go.search": lambda: window.show_panel("inventory", part=SEARCH_FIELD),
            "go.palette": self._palette,
            "go.troubleshoot": lambda: navigation.troubleshoot_shown(desk),
            "go.compare": lambda: navigation.compare_with_before(desk),
            "view.reset": window.reset_layout,
            "view.menu": window.header.open_menu,
            "view.menu_bar": self._switch_menu_bar,
            "view.theme": self._switch_theme,
            "view.messages": self._show_messages,
            "help.shortcuts": lambda: ShortcutSheet([*ACTIONS, *panel_keys(desk.screens)], window).open(),
            "help.focus": self._helping.show_for_focus,
            "help.guide": lambda: self._helping.show("guide"),
            "help.counters": self._helping.show_server_counters,
            "help.about": lambda: About(window).open(),
        }
        return {**self._workbench.handlers(), **self._zone.handlers(), **own}

    def _place_steps(self) -> None:
        """While a test is open its steps stand where the inventory stands."""
        self._window.places.replace("inventory", "steps", on=bool(self._desk.tests.test))

    def _show_messages(self) -> None:
        """List the messages since the window was opened."""
        window, clock = self._window, self._desk.times.clock
        past, zone = window.messages.past, clock.zone_of(None)
        MessageLog(past, clock.time, zone, window).show_over(window.status.messages)

    def _palette(self) -> None:
        settings = navigation.setting_entries(self._desk.theme.icons.get("settings"), self._show_setting)
        cases = self._workbench.lab_hands.cases()
        offered = [*navigation.palette_entries(self._desk, self._window.commands), *cases, *settings]
        ask = self._entry.asking(self._desk.theme.icons.get("search"))
        Palette(self._desk.theme, self._window, offered, ask).show()

    def _show_setting(self, key: str) -> None:
        dialog = preferences(self._desk, self._window)
        dialog.open()
        dialog.show_setting(key)

    def _switch_theme(self) -> None:
        dark = self._desk.theme.tokens.name == "dark"
        self._desk.settings.set("look.theme", "light" if dark else "dark")

    def _switch_menu_bar(self) -> None:
        self._desk.settings.set("look.menu_bar", not self._desk.settings.flag("look.menu_bar"))

    def _show_menu_bar(self) -> None:
        shown = self._desk.settings.flag("look.menu_bar")
        self._window.header.show_bar(on=shown)
        self._window.actions_by_id["view.menu_bar"].setChecked(shown)

    def _settings_changed(self, key: str) -> None:
        if key == "look.menu_bar":
            self._show_menu_bar()
        if key == "look.theme":
            self._desk.theme.set_preference(cast("Preference", self._desk.settings.text(key)))

    def _opened(self) -> None:
        self._window.show_session(open_=True)
        self._enable()
        self._update_texts()

    def _closed(self) -> None:
        if self._desk.session.replacing:
            return
        self._enable()
        self._window.show_session(open_=False)
        self._window.setWindowTitle("Hyperscope")
        self._entry.show_scope()
        self._window.status.show_session("")
        self._window.status.show_sources([])

    def _update_texts(self) -> None:
        snapshot = self._desk.session.snapshot
        if snapshot is None:
            return
        self._entry.show_scope()
        self._window.status.show_session(session_label(self._desk.session.whole or snapshot))
        self._window.status.show_chosen(self._desk.scope.scope.sources)
        self._window.setWindowTitle(f"{shown(snapshot.title)} – Hyperscope")

    def _show_verdict(self) -> None:
        self._window.status.show_verdict(self._desk.findings.words(self._desk.times.clock.time))

    def _show_jobs(self) -> None:
        running = [job for job in self._desk.jobs.visible_jobs() if job.state == "running"]
        if not running:
            self._window.status.show_jobs("")
            return
        part = f" {running[0].part:.0%}" if running[0].part is not None else "…"
        more = f" and {len(running) - 1} more" if len(running) > 1 else ""
        self._window.status.show_jobs(f"{running[0].title}{part}{more}")

    def _enable(self) -> None:
        actions = self._window.actions_by_id
        snapshot, scope = self._desk.session.snapshot, self._desk.scope.scope
        is_open = snapshot is not None
        follows = is_open and scope.follow
        actions["go.follow"].setChecked(follows)
        actions["go.follow"].setEnabled(follows or (snapshot is not None and snapshot.recording))
        actions["go.up"].setEnabled(is_open and bool(scope.entities))
        actions["go.back"].setEnabled(is_open and self._desk.scope.can_go_back)
        actions["go.forward"].setEnabled(is_open and self._desk.scope.can_go_forward)

    def _show_error(self, error: HyperscopeError) -> None:
        self._window.messages.show_message(str(error), "critical")

    def _close(self) -> None:
        self._workbench.shutdown()
        self._desk.tests.shutdown()
        self._desk.comparison.shutdown()
        self._desk.session.close()
        self._desk.judging.shutdown()
        self._desk.jobs.shutdown()
        self._desk.settings.shutdown()
        self._desk.thresholds.shutdown()
