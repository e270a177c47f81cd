"""The actions that change the scope (whole session, live edge, sources), and the entries of the palette."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from PySide6.QtGui import QAction, QIcon

from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.palette import Entry
from app.gui.settings import SETTINGS, STORAGE_PAGES
from app.gui.shortcut_sheet import key_text
from resources.foreign_text import shown
from sessions.findings import Finding
from sessions.model import EntityRef
from sessions.scope import Scope
from sessions.store import SessionReader
from sessions.times import TimeRange
from sessions.troubleshooting import TroubleshootingRun
from viewmodels.comparison_choices import PairOffer, pair_offers
from viewmodels.entity_words import KINDS
from viewmodels.snapshot import Snapshot
from viewmodels.worst_instant import worst_instant

_MINUTE_MS = 60_000
_MARGINS = 10
"""A window that moves to the pinned moment shows this part of its length beyond it."""


def show_whole_session(desk: Desk) -> None:
    """Set the scope to all entities over the whole session."""
    desk.scope.set(Scope())


def toggle_follow(desk: Desk) -> None:
    """Keep the newest samples in view, or stop doing so."""
    scope = desk.scope.scope
    snapshot = desk.session.snapshot
    if snapshot is None or snapshot.span is None:
        return
    if scope.follow:
        desk.scope.set(scope.during(scope.window_in(snapshot.span)))
        return
    length = desk.settings.number("live.window") * _MINUTE_MS
    if scope.window is not None:
        length = scope.window.end - scope.window.start
    end = snapshot.span.end
    desk.scope.set(scope.during(TimeRange(end - length, end), follow=True))


def compare_with_before(desk: Desk) -> None:
    """Compare the time that is shown with what was before it; of the whole session, its halves."""
    snapshot = desk.session.snapshot
    window = desk.scope.scope.window_in(snapshot.span) if snapshot is not None else None
    if snapshot is None:
        return
    if window is None:
        desk.notify("The session has no samples yet: there is nothing to compare.", "info")
    elif window == snapshot.span:
        desk.comparison.asked.emit()
    else:
        desk.comparison.with_before(window)


def troubleshoot_shown(desk: Desk) -> None:
    """Look into the entity and the time that are shown; of everything, into the worst problem."""
    scope, snapshot = desk.scope.scope, desk.session.snapshot
    window = scope.window_in(snapshot.span) if snapshot is not None else None
    if snapshot is None or len(scope.entities) != 1:
        desk.troubleshooting.asked.emit()
        return
    ref = next(iter(scope.entities))
    if window is None or window == snapshot.span or scope.follow:
        troubleshoot(desk, ref)
    else:
        troubleshoot(desk, ref, window)


def troubleshoot(desk: Desk, ref: EntityRef, window: TimeRange | None = None, *, front: bool = True) -> None:
    """Look into an entity, or the nearest one above it that a symptom can be of, in a window (None: since
    its worst problem began).
    """
    from app.gui.looking_into import Asked  # noqa: PLC0415 - not at the start
    from wizards.flows.troubleshooting.offers import entity_of_symptom  # noqa: PLC0415

    whole = desk.session.whole
    of = entity_of_symptom(whole, ref) if whole is not None else None
    if of is None:
        desk.notify("A symptom can be of a VM, a host, a datastore or a device: this is none.", "info")
    elif window is None:
        desk.troubleshooting.ask_entity(of, front=front)
    else:
        desk.troubleshooting.ask(Asked(of, since=window.start, until=window.end), front=front)


def pin_in_sight(desk: Desk, at: int | None) -> None:
    """Pin the moment ``at`` (ms), None lets go of it; the shown window moves along (``keep_in_sight``)."""
    if at is None:
        desk.moment.release()
        return
    desk.moment.pin(at)
    keep_in_sight(desk)


def pin_worst_moment(desk: Desk, finding: Finding) -> None:
    """Pin the instant at which a finding was worst, unless another moment is pinned meanwhile."""
    snapshot, before = desk.session.whole, desk.moment.at
    if snapshot is None:
        return

    def work(reader: SessionReader, job: Job) -> int | None:
        return worst_instant(reader, finding, snapshot, job)

    def done(at: int | None) -> None:
        if at is not None and desk.moment.at == before:
            desk.moment.pin(at)

    desk.session.query("moment.finding", work, done)


def keep_in_sight(desk: Desk) -> None:
    """Move the shown window along with the pinned moment, unless it follows the live edge."""
    if not desk.scope.scope.follow:
        show_moment(desk, passing=True)


def show_moment(desk: Desk, *, passing: bool = False) -> None:
    """Move the shown window, at its length, if the pinned moment is outside of it."""
    at, snapshot, scope = desk.moment.at, desk.session.snapshot, desk.scope.scope
    window = scope.window_in(snapshot.span) if snapshot is not None else None
    if at is None or snapshot is None or snapshot.span is None or window is None or window.contains(at):
        return
    length = window.end - window.start
    margin = length // _MARGINS
    start = at - margin if at < window.start else at + margin - length
    start = min(max(start, snapshot.span.start), max(snapshot.span.end - length, snapshot.span.start))
    desk.scope.set(scope.during(TimeRange(start, start + length)), passing=passing)


def palette_entries(desk: Desk, actions: Mapping[str, QAction]) -> Iterator[Entry]:
    """Yield the entries of the palette: actions first, then sources, then every entity of the session."""
    for name, one in actions.items():
        if one.isEnabled():
            keys = one.shortcut().toString() if not one.shortcut().isEmpty() else ""
            also = f"{one.toolTip()} {name}"
            yield Entry(one.text(), key_text(keys), one.icon(), one.trigger, also)
    snapshot = desk.session.snapshot
    if snapshot is None:
        return
    yield from _sources(desk, snapshot)
    yield from _tests(desk)
    yield from _comparisons(desk)
    yield from _symptoms(desk)
    icons: dict[str, QIcon] = {}
    for ref, entity in snapshot.entities.items():
        if ref.kind not in icons:
            icons[ref.kind] = desk.theme.icons.get(ref.kind)
        owner = snapshot.entities.get(entity.parent) if entity.parent else None
        kind = KINDS[ref.kind][0]
        hint = f"{kind} · {shown(owner.name)}" if owner else kind
        yield Entry(shown(entity.name) or ref.key, hint, icons[ref.kind], _look_at(desk, ref))


def setting_entries(icon: QIcon, show_setting: Callable[[str], None]) -> Iterator[Entry]:
    """Yield an entry for each setting, which opens the preferences there."""
    for spec in SETTINGS:
        labels = " ".join(label for _value, label in spec.choices)
        also = f"{spec.help} {labels}"
        yield Entry(f"Preferences: {spec.title}", "setting", icon, partial(show_setting, spec.key), also)
    for key, title, also in STORAGE_PAGES:
        yield Entry(f"Preferences: {title}", "setting", icon, partial(show_setting, key), also)


def _tests(desk: Desk) -> Iterator[Entry]:
    """Yield an entry for each guided test and each run of the session."""
    icon = desk.theme.icons.get("tests")
    known = desk.tests.known.tests
    for test in desk.tests.known.cards:
        set_up, also = partial(desk.tests.set_up, test.id), f"{test.id} {test.question}"
        yield Entry(f"Test: {test.title}", "guided test", icon, set_up, also)
    for run in desk.tests.records.runs:
        title = known[run.test].title if run.test in known else shown(run.test, 60)
        when = desk.times.clock.moment(run.start)
        yield Entry(f"Run of {title}, {when}", "test run", icon, partial(desk.tests.look_at, run.id))


def _comparisons(desk: Desk) -> Iterator[Entry]:
    """Yield an entry for each pair of windows that the session offers to compare."""
    icon, known = desk.theme.icons.get("compare"), desk.comparison.known()
    for one in pair_offers(known) if known is not None else ():
        yield Entry(f"Compare: {one.why}", "comparison", icon, partial(_compare, desk, one))


def _symptoms(desk: Desk) -> Iterator[Entry]:
    """Yield an entry for each symptom that is offered, and for each earlier guided run."""
    icon, model = desk.theme.icons.get("troubleshoot"), desk.troubleshooting
    for one in model.offers():
        text = f"Troubleshoot: {shown(one.name, 80)}"
        yield Entry(text, "worst findings", icon, partial(troubleshoot, desk, one.entity))
    for run in model.keeping.runs:
        text = f"Guided run {run.number}: {shown(run.symptom.name, 80)}"
        yield Entry(text, desk.times.clock.moment(run.at), icon, partial(_recall, desk, run))


def _recall(desk: Desk, run: TroubleshootingRun) -> None:
    desk.troubleshooting.asked.emit()
    desk.troubleshooting.recall(run)


def _compare(desk: Desk, pair: PairOffer) -> None:
    desk.comparison.asked.emit()
    desk.comparison.choose(pair)


def _sources(desk: Desk, snapshot: Snapshot) -> Iterator[Entry]:
    """Yield an entry for each source, and one for all, if the session has several."""
    if len(snapshot.sources) < 2:
        return
    icon = desk.theme.icons.get("connect")
    if desk.scope.scope.sources:
        yield Entry("All sources", "source", icon, lambda: choose_source(desk, 0))
    for one in snapshot.sources:
        text = f"Only what {shown(one.spec.name)} shows"
        yield Entry(text, f"source · {one.spec.kind}", icon, partial(_only, desk, one.id))


def choose_source(desk: Desk, source: int) -> None:
    """Show one source only; all sources if ``source`` is 0 or the one that is shown alone already."""
    scope, snapshot = desk.scope.scope, desk.session.snapshot
    everything = source == 0 or scope.sources == {source} or snapshot is None or len(snapshot.sources) < 2
    desk.scope.set(scope.of_sources(() if everything else (source,)))


def _only(desk: Desk, source: int) -> None:
    desk.scope.set(desk.scope.scope.of_sources((source,)))


def _look_at(desk: Desk, ref: EntityRef) -> Callable[[], None]:
    return lambda: desk.scope.set(desk.scope.scope.on([ref]))
