"""What a chart is drawn from: its curves with their legends, and the events that belong to the scope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from resources.catalogue import Catalogue
from resources.units import format_value
from resources.views import LimitsByCounter
from sessions.model import EntityRef, Event, Series
from viewmodels.chart_sets import curve_name
from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import Curve, NamedCurve
from viewmodels.snapshot import Snapshot


@dataclass(frozen=True)
class CurveLabels:
    """Names curves and describes their counters."""

    catalogue: Catalogue
    limits: LimitsByCounter

    def named_curves(
        self, chart: ChartSpec, curves: Mapping[int, Curve], snapshot: Snapshot
    ) -> list[NamedCurve]:
        """The curves of a chart that were read and are in the session, in the chart's order."""
        series = [
            snapshot.by_id[number] for number in chart.series if number in curves and number in snapshot.by_id
        ]
        return [
            NamedCurve(
                curve_name(one, series, snapshot, self.catalogue),
                one.spec.unit,
                curves[one.id],
                self.description(one),
                one.id,
            )
            for one in series
        ]

    def description(self, series: Series) -> str:
        """What the counter means, and from which value on it is a problem."""
        known = self.catalogue.get(series.counter)
        lines = [known.meaning] if known else []
        limits = self.limits.of(series.counter, series.entity.kind)
        if limits is not None:
            value = format_value(limits.warning.value, series.spec.unit)
            lines.append(f"limit {value} ({limits.warning.source})")
        return "\n".join(lines)


def events_of(entities: Sequence[EntityRef], snapshot: Snapshot) -> Sequence[Event]:
    """The events of these entities and those of none; all events where no entity is named."""
    if not entities:
        return snapshot.events
    wanted = {None, *entities}
    return [event for event in snapshot.events if event.entity in wanted]
