"""The models and services that every panel gets, put together by the composition root."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol

from PySide6.QtWidgets import QWidget

from app.gui.chart_board import ChartBoard
from app.gui.comparison_model import ComparisonModel
from app.gui.findings_model import FindingsModel
from app.gui.jobs import JobRunner
from app.gui.judging import Judging
from app.gui.mark_requests import MarkRequests
from app.gui.moment_model import MomentModel
from app.gui.moved_model import MovedModel
from app.gui.report_model import ReportModel
from app.gui.scope_model import ScopeModel
from app.gui.session_model import SessionModel
from app.gui.settings import Settings
from app.gui.sources_model import SourcesModel
from app.gui.tests_model import TestsModel
from app.gui.threshold_store import ThresholdStore
from app.gui.times import Times
from app.gui.topic_requests import TopicRequests
from app.gui.troubleshooting_model import TroubleshootingModel
from resources.catalogue import Catalogue
from resources.problem_cards import Problems
from resources.views import ChartTemplate, Headline, LimitsByCounter, Overview, Screen
from sessions.findings import Finding
from sessions.problem_areas import OF_ALL_AREAS
from sessions.scope import Scope
from viewmodels.entity_limits import EntityLimits, LimitsCache
from viewmodels.file_offer import FileOffer
from viewmodels.findings_in_scope import FindingsInScope, findings_in_scope
from viewmodels.scope_filter import ScopeFilter, scope_filter
from viewmodels.scope_verdict import OF_THE_SESSION, covered_in_scope, verdict_in_scope
from viewmodels.verdict_words import VerdictWords
from widgets.context_menu import MoreEntries
from widgets.messages import Level, MessageAction
from widgets.theme import Theme

Area = Literal["left", "center", "right", "bottom"]


class Notify(Protocol):
    """A function that shows a message over the work area."""

    def __call__(self, text: str, level: Level = "info", *, action: MessageAction | None = None) -> None:
        """Show ``text``; ``action`` is a button beside it: ``MessageAction("Undo", undo)``."""


@dataclass(frozen=True, slots=True)
class RecordingControl:
    """What pages do with the recording, which a test's run is: pause or resume it, stop it; or go on with a
    run that was interrupted (``resume``), or put back what it left (``restore``). ``forget_password`` has the
    password of an address asked for again; ``connect`` asks for another server or account. ``watch`` returns
    the entries of a menu about some entities: to watch their hosts with esxtop, too.
    """

    pause: Callable[[], None]
    stop: Callable[[], None]
    is_paused: Callable[[], bool]
    act_on_run: Callable[[str], None]
    forget_password: Callable[[str, Callable[[], None]], None]
    connect: Callable[[], None]
    watch: MoreEntries


@dataclass(frozen=True)
class Desk:
    """The models and services that panels share.

    ``times.clock`` shows and reads every time in the chosen zone. ``moment`` is the instant that the user
    pinned. ``notify(text, level, action=…)`` shows a message over the work area. ``show_finding`` moves
    scope and charts to a finding's evidence. ``drop_mark`` asks for a note and stores a mark at a time in
    ms (None: the pinned moment, else now, or the end of the shown window). ``marks`` carries requests to
    change or remove a mark. ``save_file`` asks where to save what a view offers, and writes it; ``reveal``
    shows a file in the system's file manager. ``export`` asks how to export a scope (None: the whole
    session). ``run_test`` runs the test of a plan's file, with the session's name, the addresses that it
    acts on, and the ends of the UUIDs of disks that were typed. ``topics`` carries requests to explain a
    problem or a counter, ``sources`` says how each source is doing, ``thresholds`` are
    the numbers that judge storage.
    """

    session: SessionModel
    scope: ScopeModel
    moment: MomentModel
    judging: Judging
    findings: FindingsModel
    charts: ChartBoard
    jobs: JobRunner
    tests: TestsModel
    comparison: ComparisonModel
    report: ReportModel
    moved: MovedModel
    troubleshooting: TroubleshootingModel
    theme: Theme
    settings: Settings
    thresholds: ThresholdStore
    times: Times
    catalogue: Catalogue
    problems: Problems
    limits: LimitsByCounter
    chart_templates: tuple[ChartTemplate, ...]
    headlines: Mapping[str, Headline]
    screens: tuple[Screen, ...]
    overview: Overview
    notify: Notify
    show_finding: Callable[[Finding], None]
    drop_mark: Callable[[int | None], None]
    save_file: Callable[[FileOffer], None]
    reveal: Callable[[Path], None]
    export: Callable[[Scope | None], None]
    run_test: Callable[[Path, str, tuple[str, ...], tuple[str, ...]], None]
    recording: RecordingControl
    sources: SourcesModel
    limits_cache: LimitsCache = field(default_factory=LimitsCache)
    marks: MarkRequests = field(default_factory=MarkRequests)
    topics: TopicRequests = field(default_factory=TopicRequests)

    @property
    def entity_limits(self) -> EntityLimits:
        """The limits of the open session's entities: by their class of storage, and the admin's own sets."""
        whole = self.session.whole
        if whole is None:
            return EntityLimits(self.limits)
        return self.limits_cache.of(whole, self.limits, self.thresholds.limits)

    def scope_filter(self, scope: Scope | None = None) -> ScopeFilter | None:
        """Return what a scope (None: the current one) covers in the session; None without a session."""
        snapshot = self.session.snapshot
        return scope_filter(scope or self.scope.scope, snapshot) if snapshot is not None else None

    def findings_in_scope(self, scope: Scope | None = None) -> FindingsInScope:
        """Return the findings divided by the scope (None: the current one): inside, and outside for what
        reason.
        """
        filtered, findings = self.scope_filter(scope), self.findings.findings
        return FindingsInScope(findings) if filtered is None else findings_in_scope(findings, filtered)

    def verdict_words(self, scope: Scope | None = None) -> VerdictWords | None:
        """Return what was judged of a scope (None: the current one) as texts; None without a session."""
        at, filtered = self.times.clock.moment, self.scope_filter(scope)
        asked = scope or self.scope.scope
        span = self.session.snapshot.span if self.session.snapshot is not None else None
        is_whole = asked.window is None or asked.window_in(span) == span
        if filtered is None or (is_whole and not (filtered.chosen or asked.sources)):
            return self.findings.words(at)
        inside = self.findings_in_scope(scope).inside
        until = filtered.window.end if filtered.window is not None else None
        judged = self.findings.judged
        found = verdict_in_scope(judged, filtered, inside)
        is_of_some = bool(filtered.chosen) and not any(one.kind in OF_ALL_AREAS for one in filtered.chosen)
        words = self.findings.words(at, found, until, filtered.covers, is_of_entities=is_of_some)
        if words is None:
            return None
        covered = covered_in_scope(judged, filtered, found) or words.covered
        return replace(words, covered=covered, checks_of=OF_THE_SESSION)

    def widen_scope(self) -> None:
        """Look at all entities over the whole session, from the same sources."""
        self.scope.set(self.scope.scope.on(()).during(None))


@dataclass(frozen=True, slots=True)
class PanelSpec:
    """A panel: a dock, or a page in the middle. ``keys`` bring it to the front.

    ``beside``: the docks that stand beside this page; None: all of them. ``is_passing``: it comes and goes
    with what it shows; that it was open is not kept for the next start.
    """

    id: str
    title: str
    icon: str
    area: Area
    make: Callable[[Desk], QWidget]
    keys: tuple[str, ...] = ()
    help: str = ""
    shown: bool = True
    is_passing: bool = False
    beside: frozenset[str] | None = None
