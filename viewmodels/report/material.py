"""What a report is made from, read once: the session's records, its diagnosis, and what explains them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from diagnosis.comparison import Comparison
from diagnosis.comparison.windows import Windows
from resources.catalogue import Catalogue
from resources.problem_cards import Problems
from resources.report_words import ReportWords
from resources.views import ChartTemplate, Headline
from sessions.clock import Clock
from sessions.findings import Finding
from sessions.model import EntityRef, Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from sessions.verdicts import Verdict
from viewmodels.chart_spec import ChartSpec
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
    """Two windows that were compared: what came of it, which windows they are, what they are called."""

    comparison: Comparison
    windows: Windows
    titles: tuple[str, str] = ("before", "after")


@dataclass(frozen=True)
class PutChart:
    """A chart that somebody put into the report, over the time that was shown."""

    chart: ChartSpec
    window: TimeRange


@dataclass(frozen=True)
class Material:
    """All that a report tells. ``tests`` are sections that were made of guided tests, ``guided`` those of the
    guided troubleshooting; ``fixes`` say up to when (ms) a problem of an entity was verified to be fixed.

    ``window`` is the time that the report is about; ``title`` is empty for the session's own.
    ``put_findings`` are told in sections of their own, too.
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
    comparisons: Sequence[Compared] = ()
    tests: Sequence[Section] = ()
    guided: Sequence[Section] = ()
    fixes: Mapping[tuple[str, EntityRef], int] = field(default_factory=dict)
    charts: Sequence[PutChart] = ()
    put_findings: Sequence[Finding] = ()
    work: Work = field(default_factory=UnwatchedWork)

    @property
    def compared(self) -> Compared | None:
        """The first comparison, which page 1 tells of; None if nothing was compared."""
        return self.comparisons[0] if self.comparisons else None

    @property
    def is_simulated(self) -> bool:
        """True if any source is the lab."""
        return any(one.spec.kind == "lab" for one in self.snapshot.sources)
