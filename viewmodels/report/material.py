"""What a report is made from, read once: the session's records, its diagnosis, and what explains them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from diagnosis.comparison import Comparison
from diagnosis.comparison.windows import Windows
from resources.catalogue import Catalogue
from resources.problem_cards import Problems
from resources.report_words import ReportWords
from resources.views import ChartTemplate, Headline
from sessions.clock import Clock
from sessions.findings import Finding
from sessions.model import Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from sessions.verdicts import Verdict
from viewmodels.entity_limits import EntityLimits
from viewmodels.report.document import Section
from viewmodels.snapshot import Snapshot
from viewmodels.work import UnwatchedWork, Work


@dataclass(frozen=True)
class Knowledge:
    """What explains a session: problems with their limits, counters, charts, plain words."""

    problems: Problems
    catalogue: Catalogue
    limits: EntityLimits
    templates: Sequence[ChartTemplate]
    headlines: dict[str, Headline]
    words: ReportWords

    def is_setting(self, series: Series) -> bool:
        """Return True for a counter that is a setting: a chart of it tells only that it changed."""
        known = self.catalogue.get(series.counter)
        return known is not None and known.setting


@dataclass(frozen=True)
class Compared:
    """Two windows that were compared: what came of it, and which windows they are."""

    comparison: Comparison
    windows: Windows


@dataclass(frozen=True)
class Material:
    """All that a report tells. ``tests`` are sections that were made of guided tests.

    ``window`` is the time that the report is about; ``title`` is empty for the session's own.
    """

    reader: SessionReader
    snapshot: Snapshot
    findings: Sequence[Finding]
    verdict: Verdict
    window: TimeRange | None
    clock: Clock
    knowledge: Knowledge
    made: str
    title: str = ""
    notes: Sequence[str] = ()
    compared: Compared | None = None
    tests: Sequence[Section] = ()
    work: Work = field(default_factory=UnwatchedWork)

    @property
    def is_simulated(self) -> bool:
        """True if any source is the lab."""
        return any(one.spec.kind == "lab" for one in self.snapshot.sources)
