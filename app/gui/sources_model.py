"""The sources as the pane shows them: while they are recorded, and of a stored session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.gui.source_labels import health_of, message_of, refused_sources
from recorder.protocol import CollectorReport, SourceReport, StatusReport
from resources.failures import ChangedCertificateError
from resources.source_kinds import load_source_kinds
from resources.units import format_count, format_duration
from sessions.model import Source
from viewmodels.snapshot import Snapshot
from viewmodels.source_gaps import gap_count
from widgets.sources import SourceFacts


class SourcesModel(QObject):
    """The facts of all sources, in the order in which they came. Signals: ``changed``; ``removed`` with the
    address of a source that the user wants to be recorded no longer; ``added`` when one more is wanted;
    ``certificate_wanted`` with the address of one whose changed certificate is to be looked at;
    ``login_wanted`` with that of one whose password was refused.
    """

    changed = Signal()
    removed = Signal(str)
    added = Signal()
    certificate_wanted = Signal(str)
    login_wanted = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.facts: Sequence[SourceFacts] = ()
        self.can_add = False

    def show(self, facts: Sequence[SourceFacts], *, can_add: bool) -> None:
        """Take over what is known now."""
        if (list(facts), can_add) != (list(self.facts), self.can_add):
            self.facts, self.can_add = list(facts), can_add
            self.changed.emit()


def live_facts(status: StatusReport, *, can_remove: bool) -> list[SourceFacts]:
    """Return the facts of each recorded source, and of connections that have none."""
    running = {one.name for one in status.collectors if not one.is_over}
    removable = running if can_remove and len(running) > 1 else set()
    refused = {one.name for one in refused_sources(status)}
    made = {one.collector for one in status.sources}
    waiting = [_of_connection(one, removable, refused) for one in status.collectors if one.name not in made]
    return [*(_of_source(one, removable, refused) for one in status.sources), *waiting]


def stored_facts(snapshot: Snapshot) -> list[SourceFacts]:
    """Return the facts of each source of a session that this window does not record."""
    gaps = Counter((gap.source, gap.entity is not None) for gap in snapshot.gaps)
    series = snapshot.series_index.count_by_source
    return [
        _of_stored(one, series.get(one.id, 0), gap_count(gaps[one.id, False], gaps[one.id, True]))
        for one in snapshot.sources
    ]


def _of_source(source: SourceReport, removable: set[str], refused: set[str]) -> SourceFacts:
    health, state = health_of(source)
    facts = [("Every", format_duration(source.interval_s) if source.interval_s else "")]
    facts += [(label.capitalize(), text) for label, text in source.details.items()]
    if source.state in {"recording", "reconnecting"} and source.last_ms is not None:
        behind = source.behind_s
        facts.append(("Newest sample", "age unknown" if behind is None else f"{format_duration(behind)} old"))
    if source.expected:
        lost = source.expected - source.received
        part = f"{source.received / source.expected:.1%} of what was due"
        facts.append(("Samples", f"{part}, {format_count(lost)} lost" if lost > 0 else "all that were due"))
    facts.append(("Gaps", gap_count(source.gaps, 0) or "none"))
    facts.append(
        ("Covers", f"{format_count(source.entities)} entities, {format_count(source.series)} series")
    )
    address = source.collector if source.collector in removable else ""
    message = "" if source.state == "connecting" else message_of(source)
    changed = source.collector if source.refusal == ChangedCertificateError.exit_code else ""
    shown = tuple((label, text) for label, text in facts if text)
    return SourceFacts(
        source.name, _kind(source.kind, source.collector), health, state, shown, message, source.source,
        bool(source.gaps), address, changed, source.collector if source.collector in refused else "",
    )  # fmt: skip


def _of_connection(one: CollectorReport, removable: set[str], refused: set[str]) -> SourceFacts:
    """A connection of which no source is known: it is being made, or it failed before there was one."""
    scheme, _, rest = one.name.partition(":")
    place = rest.removeprefix("//").rpartition("@")[2] or one.name
    address = one.name if one.name in removable else ""
    if one.is_over:
        health, state = ("critical", "failed") if one.code else ("none", "ended")
        login = one.name if one.name in refused else ""
        kind = _kind(scheme, one.name)
        return SourceFacts(place, kind, health, state, (), one.message, login=login)  # type: ignore[arg-type]  # two of the words
    return SourceFacts(place, _kind(scheme, one.name), "info", "connecting", address=address)


def _of_stored(source: Source, series: int, gaps: str) -> SourceFacts:
    spec = source.spec
    facts = [("Every", format_duration(spec.interval_s) if spec.interval_s else "")]
    facts += [
        (label.capitalize(), text)
        for label, text in spec.attributes
        if label in {"collection time", "product"}
    ]
    if spec.counted:
        expected, received = spec.counted
        facts.append(("Samples", f"{received / expected:.1%} of what was due" if expected else ""))
    facts += [("Gaps", gaps or "none"), ("Series", format_count(series))]
    state = {"complete": "complete", "interrupted": "interrupted"}.get(source.state, "is being recorded")
    return SourceFacts(
        spec.name, _kind(spec.kind, ""), "warning" if state == "interrupted" else "none", state,
        tuple((label, text) for label, text in facts if text), "", source.id, bool(gaps),
    )  # fmt: skip


def _kind(kind: str, address: str) -> str:
    """What the connect dialog calls such a source; esxtop comes in two ways, which its address tells."""
    titles = {str(one.id): one.title for one in load_source_kinds()}
    return titles.get(address.partition(":")[0]) or (
        kind if kind in {"esxtop", "guest"} else titles.get(kind, kind)
    )
