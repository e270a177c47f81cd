"""What the Report page was told: the choices of the report, how it leaves the window, and what was put in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeVar

from sessions.findings import Finding

if TYPE_CHECKING:
    from app.report_making import AskedComparison
    from viewmodels.report.choices import Audience
    from viewmodels.report.document import Look
    from viewmodels.report.material import PutChart

Thing = TypeVar("Thing")
Paper = Literal["a4", "letter"]


@dataclass(frozen=True, slots=True)
class WindowChoices:
    """What somebody chose on the Report page. ``ticks`` and ``order`` are of the keys of sections: what was
    ticked or not by hand, and in which order they are to stand (empty: the usual one).
    """

    audience: Audience = "both"
    ticks: tuple[tuple[str, bool], ...] = ()
    order: tuple[str, ...] = ()
    title: str = ""
    author: str = ""
    recipient: str = ""
    remarks: str = ""
    look: Look = "auto"
    paper: Paper = "a4"
    anonymise: bool = False

    def ticked(self, key: str, *, on: bool) -> WindowChoices:
        """Return the choices with a section ticked or not."""
        return replace(self, ticks=tuple({**dict(self.ticks), key: on}.items()))


@dataclass(frozen=True)
class PutIn:
    """What was put into the report by hand. ``runs`` are the guided runs that were, by the time (ms) at which
    they were made, ``tests`` those of guided tests by their ids: they stand in the session.
    """

    findings: tuple[Finding, ...] = ()
    charts: tuple[PutChart, ...] = ()
    comparisons: tuple[AskedComparison, ...] = ()
    runs: tuple[int, ...] = ()
    tests: tuple[str, ...] = ()

    def with_charts(self, charts: Sequence[PutChart]) -> PutIn:
        """Return it with these charts, each once."""
        new = tuple(one for one in charts if one not in self.charts)
        return replace(self, charts=(*self.charts, *new))

    def with_one(
        self,
        finding: Finding | None = None,
        comparison: AskedComparison | None = None,
        run: int | None = None,
        test: str | None = None,
    ) -> PutIn:
        """Return it with a finding, a comparison, a run or a test, each once."""
        return replace(
            self,
            findings=_once(self.findings, finding),
            comparisons=_once(self.comparisons, comparison),
            runs=_once(self.runs, run),
            tests=_once(self.tests, test),
        )

    @property
    def count(self) -> int:
        """How many things that is."""
        return sum(map(len, (self.findings, self.charts, self.comparisons, self.runs, self.tests)))


def _once(there: tuple[Thing, ...], new: Thing | None) -> tuple[Thing, ...]:
    return there if new is None or new in there else (*there, new)
