"""Which charts are shown, and for what reason: they follow the scope, show a finding, or were put together by
the user.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sessions.model import EntityRef, Series
from viewmodels.chart_spec import ChartSpec


@dataclass(frozen=True, slots=True)
class ChartChoice:
    """The charts that are shown, in order, and why.

    ``chosen`` False: the charts follow the scope, whose entities are ``of``. ``chosen`` with ``of``: they
    show a finding of these entities, or stand in an order of the user's, and stay until the scope names other
    entities. ``chosen`` without ``of``: the user put them together, and they stay until ``released``.
    """

    charts: tuple[ChartSpec, ...] = ()
    chosen: bool = False
    of: tuple[EntityRef, ...] | None = None

    @property
    def pinned(self) -> bool:
        """True if the charts stay whatever the scope becomes."""
        return self.chosen and self.of is None

    def following(self, charts: Sequence[ChartSpec], entities: Sequence[EntityRef]) -> ChartChoice:
        """Return these charts for a scope of ``entities``: ``charts``, unless others were chosen for it.

        Charts that are shown for these entities already stay in their order, and new ones go below them: what
        somebody looks at is not rearranged by what arrives. Charts of other entities than before
        (a scope that names nothing shows the worst) leave no order to keep.
        """
        if self.chosen and (self.of is None or self.of == tuple(entities)):
            return self
        seen = {one for chart in self.charts for one in chart.series}
        stays = self.of == tuple(entities) and any(not seen.isdisjoint(chart.series) for chart in charts)
        places = {_key(chart): number for number, chart in enumerate(self.charts)} if stays else {}
        ordered = sorted(charts, key=lambda chart: places.get(_key(chart), len(places)))
        return ChartChoice(tuple(ordered), of=tuple(entities))

    def released(self) -> ChartChoice:
        """Return the same charts, but following the scope again."""
        return ChartChoice(self.charts)

    def with_series(self, series: Sequence[Series], at: int | None = None) -> ChartChoice:
        """Return the charts with ``series`` added to chart number ``at`` if the unit is the same.

        Series of another unit, or without ``at``, get a new chart below the others. A chart that got series
        is named after all of its counters: its title and note were about the former ones.
        """
        charts = list(self.charts)
        for unit in dict.fromkeys(one.spec.unit for one in series):
            ids = tuple(one.id for one in series if one.spec.unit == unit)
            if at is not None and at < len(charts) and charts[at].unit == unit:
                both = tuple(dict.fromkeys((*charts[at].series, *ids)))
                same = both == charts[at].series
                charts[at] = charts[at] if same else replace(charts[at], series=both, title="", note="")
            else:
                charts.append(ChartSpec("", unit, ids))
        return ChartChoice(tuple(charts), chosen=True)

    def with_chart(self, chart: ChartSpec, at: int) -> ChartChoice:
        """Return the charts with one more, number ``at`` or the last; all of them count as the user's own."""
        return ChartChoice((*self.charts[:at], chart, *self.charts[at:]), chosen=True)

    def with_moved(self, at: int, to: int) -> ChartChoice:
        """Return the charts with chart number ``at`` moved to place ``to``; they stay in this order while the
        scope names the same entities.
        """
        charts = list(self.charts)
        charts.insert(to, charts.pop(at))
        return replace(self, charts=tuple(charts), chosen=True)

    def without(self, at: int) -> ChartChoice:
        """Return the charts without chart number ``at``; the remaining ones count as the user's own."""
        left = tuple(chart for number, chart in enumerate(self.charts) if number != at)
        return ChartChoice(left, chosen=True)


def _key(chart: ChartSpec) -> tuple[str, str]:
    """Return what tells a chart from the others that suit the same entities."""
    return chart.title, chart.unit
