"""The page that a terminal shows while a recording runs: a line for each source, and totals below."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from app.consoles import one_line
from collectors.feed import Health
from recorder.board import SourceStatus
from recorder.recording import Status
from resources.foreign_text import shown
from resources.units import format_bytes, format_count, format_duration, format_rate

_STYLES = {
    "connecting": "dim",
    "recording": "green",
    "reconnecting": "yellow",
    "paused": "yellow",
    "ended": "dim",
    "failed": "red",
}
_ON_TIME_INTERVALS = 1.5  # a sample that comes within this many intervals of its instant is not late


_WIDE = 90  # columns of a terminal that has room for all of the table's
_MIN_NAME_WIDTH = 12
_BETWEEN = 2  # spaces between two columns


def page(status: Status, session: Path, width: int) -> RenderableType:
    """Return the page for a terminal that is ``width`` columns wide."""
    return Group(
        _table(status.sources, width),
        *_messages(status),
        Text(),
        Text(_total(status)),
        one_line(str(session), "dim"),
    )


def _table(sources: Sequence[SourceStatus], width: int) -> Table:
    """Return a table with a row for each source; if it is too wide, only the names of sources are
    shortened.
    """
    narrow = width < _WIDE
    titles = ["source", "state", "every", *([] if narrow else ["entities", "series"]), "samples", "gaps"]
    rows = [_cells(source, narrow=narrow) for source in sources]
    columns = zip(*rows, [Text(title) for title in titles], strict=True)
    widths = [max(cell.cell_len for cell in column) for column in columns]
    name = max(_MIN_NAME_WIDTH, width - sum(widths[1:]) - _BETWEEN * len(widths[1:]))
    table = Table(box=None, pad_edge=False, header_style="bold", expand=False)
    for title in titles:
        table.add_column(
            title,
            justify="left" if title in ("source", "state", "samples") else "right",
            no_wrap=True,
            max_width=name if title == "source" else None,
        )
    for row in rows:
        table.add_row(*row)
    return table


def _cells(source: SourceStatus, *, narrow: bool) -> list[Text]:
    health = source.health
    cells = [
        Text(shown(source.name), overflow="ellipsis"),
        Text(health.state, style=_STYLES[health.state]),
        Text(format_duration(health.interval_s) if health.interval_s else "–"),
    ]
    if not narrow:
        cells += [Text(format_count(health.entities)), Text(format_count(health.series))]
    gaps = Text(format_count(health.gaps), style="yellow" if health.gaps else "dim")
    return [*cells, _punctuality(health), gaps]


def _punctuality(health: Health) -> Text:
    if health.last_ms is None:
        return Text("–", style="dim")
    missing = health.expected - health.received
    part = f", {format_count(missing)} missing" if missing > 0 else ""
    late = health.behind_s > _ON_TIME_INTERVALS * (health.interval_s or 0.0) + 1.0
    when = f"behind by {format_duration(health.behind_s)}" if late else "on time"
    return Text(when + part, style="yellow" if late else "")


def _messages(status: Status) -> list[Text]:
    lines = [
        Text("  ") + one_line(f"{source.name}: {source.health.message}", _STYLES[source.health.state])
        for source in status.sources
        if source.health.message
    ]
    known = {source.collector for source in status.sources}
    for number, collector in enumerate(status.collectors):
        if collector.error is not None and number not in known:
            lines.append(Text("  ") + one_line(f"{collector.name}: {collector.error.happened}", "red"))
        elif number not in known:
            lines.append(Text("  ") + one_line(f"{collector.name}: connecting", "dim"))
    return lines


def _total(status: Status) -> str:
    parts = [
        format_duration(round(status.seconds)),
        f"{format_count(status.samples)} samples",
        format_rate(status.rate, "samples"),
        format_bytes(status.bytes),
    ]
    if status.bytes_each is not None:
        parts.append(f"{status.bytes_each:.2f} bytes each")
    if status.queue:
        parts.append(f"{format_count(status.queue)} waiting to be stored")
    if status.paused:
        parts.append("paused")
    return " · ".join(parts)
