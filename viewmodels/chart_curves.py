"""What a chart is drawn from: its curves with names and tooltips, and the events of the scope's entities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from resources.catalogue import Catalogue
from sessions.model import Series
from sessions.times import TimeRange
from viewmodels.chart_lines import unchanged_line
from viewmodels.chart_sets import lines_of
from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import Curve, NamedCurve
from viewmodels.distinct_names import names_of
from viewmodels.entity_limits import EntityLimits, limit_text
from viewmodels.possible_samples import LeftOut, left_out_text
from viewmodels.snapshot import Snapshot
from viewmodels.sources_apart import sources_apart


@dataclass(frozen=True)
class CurveLabels:
    """Gives curves their legend names and describes their counters."""

    catalogue: Catalogue
    limits: EntityLimits

    def drawn(
        self,
        chart: ChartSpec,
        curves: Mapping[int, Curve],
        snapshot: Snapshot,
        window: TimeRange | None = None,
        left_out: LeftOut | None = None,
    ) -> tuple[ChartSpec, list[NamedCurve]]:
        """Return the chart with its heading and limits, and its curves, named, in its order.

        ``curves`` are the samples that were read, by series id; series without a curve are left out. With a
        ``window``, a chart of settings that do not change in it gets a line of text, and curves of one
        quantity say how far they are apart in it, and how many of their samples were ``left_out`` there.
        """
        series = [snapshot.by_id[number] for number in chart.series if number in snapshot.by_id]
        names = names_of(series, snapshot, self.catalogue)
        apart = sources_apart(series, curves, snapshot, window, self.catalogue) if window else ()
        named = [
            NamedCurve(
                names.own[one.id],
                one.spec.unit,
                curves[one.id],
                self.description(one),
                one.id,
                names.whole[one.id],
                tuple(found for found in apart if found.coarser == one.id),
                left_out_text(left_out.of(one.id, window), one.spec.unit) if left_out and window else "",
            )
            for one in series
            if one.id in curves
        ]
        heading = names.title(chart.title)
        line = unchanged_line(heading, series, named, window, self.catalogue) if window else ""
        limits = chart.limits if chart.keeps_limits else lines_of(series, self.limits)
        return replace(chart, heading=heading, line=line, limits=limits), named

    def description(self, series: Series) -> str:
        """Return the meaning of the series' counter and, on a second line, its warning limit with source."""
        known = self.catalogue.get(series.counter)
        lines = [known.meaning] if known else []
        limits = self.limits.of(series.counter, series.entity)
        if limits is not None:
            lines.append(limit_text(limits, series.spec.unit))
        return "\n".join(lines)
