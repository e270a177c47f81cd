"""What views show, as tables that can be copied and saved: the heat map, events and marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sessions.model import EntityRef, Event, Mark
from viewmodels.heat_map import Heat
from viewmodels.text_table import TextTable
from viewmodels.time_labels import Clock


def heat_table(heat: Heat, clock: Clock) -> TextTable:
    """Return a heat map: a row for each entity, a column for the time at which each bucket begins.

    Cells are in the heat map's unit, which the title names; empty where nothing was measured.
    """
    columns = heat.values.shape[1] if heat.values.ndim > 1 else 0
    begin, length = (heat.window.start, heat.window.end - heat.window.start) if heat.window else (0, 0)
    times = [clock.iso(begin + round(length * number / columns)) for number in range(columns)]
    rows = (
        (row.name, row.worst, *cells)
        for row, cells in zip(heat.rows, heat.values[: len(heat.rows)].tolist(), strict=True)
    )
    unit = f" ({heat.unit})" if heat.unit else ""
    return TextTable(f"{heat.title}{unit}", ("name", "worst", *times), tuple(rows))


def moments_table(
    events: Sequence[Event], marks: Sequence[Mark], name_of: Callable[[EntityRef], str], clock: Clock
) -> TextTable:
    """Return events and marks in order of time, with their zone."""
    rows = [
        (
            one.at,
            clock.iso(one.at),
            "" if one.end is None else clock.iso(one.end),
            one.kind,
            "" if one.entity is None else name_of(one.entity),
            one.text,
            one.by,
            one.log,
        )
        for one in events
    ]
    rows += [(one.at, clock.iso(one.at), "", "mark", "", one.text, "", "") for one in marks]
    ordered = tuple(row[1:] for row in sorted(rows, key=lambda row: row[0]))
    return TextTable("Events and marks", ("time", "end", "what", "entity", "text", "by", "log"), ordered)
