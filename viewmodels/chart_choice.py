"""Which charts there are, and why: they follow the scope, are of a finding, or are the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sessions.model import EntityRef, Series
from viewmodels.chart_spec import ChartSpec


@dataclass(frozen=True, slots=True)
class ChartChoice:
    """The charts in their order. ``chosen``: somebody put them there; else they follow the scope.

    Those of a finding are chosen ``of`` its entities: they stay until the scope names others. Those that the
    user put together, of nothing, stay until they are released.
    """

    charts: tuple[ChartSpec, ...] = ()
    chosen: bool = False
    of: tuple[EntityRef, ...] | None = None

    @property
    def pinned(self) -> bool:
        """Whether they stay whatever the scope becomes."""
        return self.chosen and self.of is None

    def following(self, charts: Sequence[ChartSpec], entities: Sequence[EntityRef]) -> ChartChoice:
        """The charts that suit the scope, which names these entities, unless others were chosen for it."""
        if self.chosen and (self.of is None or self.of == tuple(entities)):
            return self
        return ChartChoice(tuple(charts))

    def released(self) -> ChartChoice:
        """The same charts, which follow the scope again."""
        return ChartChoice(self.charts)

    def with_series(self, series: Sequence[Series], title: str, at: int | None = None) -> ChartChoice:
        """With series in the chart at ``at`` where units agree, else in a new chart below the others."""
        charts = list(self.charts)
        for unit in dict.fromkeys(one.spec.unit for one in series):
            ids = tuple(one.id for one in series if one.spec.unit == unit)
            if at is not None and at < len(charts) and charts[at].unit == unit:
                both = tuple(dict.fromkeys((*charts[at].series, *ids)))
                charts[at] = replace(charts[at], series=both)
            else:
                charts.append(ChartSpec(title, unit, ids))
        return ChartChoice(tuple(charts), chosen=True)

    def without(self, at: int) -> ChartChoice:
        """Without the chart at ``at``; what is left is the user's own."""
        left = tuple(chart for number, chart in enumerate(self.charts) if number != at)
        return ChartChoice(left, chosen=True)
