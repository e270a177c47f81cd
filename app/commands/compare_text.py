"""Prints a comparison on a terminal: was the load the same, what changed, and what else differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from diagnosis.comparison import Comparison, Row
from diagnosis.comparison.windows import Windows
from diagnosis.wrapped_text import wrapped
from resources.catalogue import Catalogue
from resources.foreign_text import shown
from resources.units import format_count, format_duration
from sessions.clock import Clock
from sessions.times import TimeRange
from viewmodels.comparison_texts import (
    cells,
    change_lines,
    counted,
    event_line,
    headline,
    load_cells,
    only_in_one_text,
    same_load,
)

_WIDEST = 140
_WIDE = 110
"""Columns from which on interval and percentiles have room."""
_EACH, _EVENTS = 5, 10
_COLUMNS = ("rank", "name", "counter", "a", "b", "change", "judged")
_MORE = ("rank", "name", "counter", "a", "b", "change", "interval", "p95", "judged")
_HEADS = {
    "rank": "#", "name": "entity", "counter": "counter", "a": "A mean", "b": "B mean", "change": "change",
    "interval": "interval", "p95": "p95 A → B", "judged": "judged",
}  # fmt: skip
_LEAST_NAME = 8
"""So much of a name stays before the host that it is seen on."""
_LEFT = frozenset({"name", "counter", "judged"})
_STYLES = {"better": "green", "worse": "red", "to know": "cyan"}


def write_comparison(
    found: Comparison,
    rows: Sequence[Row],
    alike: Mapping[int, int],
    windows: Windows,
    names: tuple[str, str],
    clock: Clock,
    console: Console,
) -> None:
    """Print a comparison with its most important rows; ``names`` are those of the two files.

    ``alike`` says how many more rows have the same numbers, by the place of a row.
    """
    page = _Page(console)
    for letter, window, name in zip("AB", (windows.a, windows.b), names, strict=True):
        length = format_duration(window.seconds)
        page.line(f"{letter}  {clock.window(window)}, {length}, {shown(name, 60)}", lead=3)
    if windows.chosen:
        page.line(windows.chosen, lead=3, indent=3)
    page.line()
    _write_load(found, clock, page)
    page.line()
    page.line(headline(found), style="bold")
    page.line(counted(found))
    _write_rows(found, rows, alike, page)
    _write_rest(found, clock, page)


class _Page:
    """Lines on a console, wrapped under themselves."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self.width = max(40, min(console.width, _WIDEST))

    def line(self, text: str = "", *, lead: int = 0, indent: int = 0, style: str = "") -> None:
        """Print a text; lines after the first are indented by ``lead``, all by ``indent``."""
        deepest = max(lead, indent)
        for number, part in enumerate(wrapped(text, self.width - deepest, self._console)):
            room = " " * (indent if number == 0 else deepest)
            self._console.print(Text(room) + Text(part, style=style), soft_wrap=True)

    def raw(self, text: Text) -> None:
        """Print a line as it is."""
        self._console.print(text, soft_wrap=True)


def _write_load(found: Comparison, clock: Clock, page: _Page) -> None:
    page.line(f"Same load? {same_load(found).capitalize()}.", style="bold")
    parts = [load_cells(row) for row in found.load.rows]
    widths = [max((cell_len(part[at]) for part in parts), default=0) for at in (0, 1)]
    for (title, numbers, verdict), row in zip(parts, found.load.rows, strict=True):
        page.line(
            f"{title.ljust(widths[0])}  {numbers.ljust(widths[1])}  {verdict}, {row.of}", indent=2, lead=4
        )
    load = found.load
    page.line(f"{'VMs measured'.ljust(widths[0])}  {load.vms_a} → {load.vms_b}", indent=2, lead=4)
    page.line(load.because, indent=2, lead=2)
    for one in load.only_in_one:
        page.line(f"! {only_in_one_text(one, clock)}", indent=2, lead=4)
        page.line(f"  Leave it out: --leave-out {_option(one.when, clock)}", indent=2, lead=4)


def _option(window: TimeRange, clock: Clock) -> str:
    return f"{clock.iso(window.start)}..{clock.iso(window.end)}"


def _write_rows(found: Comparison, rows: Sequence[Row], alike: Mapping[int, int], page: _Page) -> None:
    catalogue = found.importance.catalogue
    changed = [row for row in rows if row.verdict in {"higher", "lower"}]
    if changed:
        page.line()
        _write_table(changed, catalogue, page)
    folded = sum(alike.get(row.rank - 1, 0) for row in changed)
    if folded:
        page.line(
            f"{format_count(folded)} more have the very same numbers as one of these.", indent=2, lead=2
        )
    total = found.counts["higher"] + found.counts["lower"]
    left = total - len(changed) - folded
    if left:
        page.line(f"… and {format_count(left)} more; --top {total} shows them.", indent=2, lead=2)
    for row in rows:
        if row.verdict == "undecided":
            of = cells(row, catalogue)
            page.line(f"? {of.name}, {of.counter}: {of.a} → {of.b}. {row.why}", indent=2, lead=4)


def _write_table(rows: Sequence[Row], catalogue: Catalogue, page: _Page) -> None:
    lines = [cells(row, catalogue) for row in rows]
    columns = _MORE if page.width >= _WIDE else _COLUMNS
    widths = {
        name: max(cell_len(_HEADS[name]), *(cell_len(getattr(line, name)) for line in lines))
        for name in columns
    }
    room = page.width - sum(widths[name] + 2 for name in columns if name not in {"name", "counter"}) + 2
    half = max(10, (room - 4) // 2)
    widths["name"], widths["counter"] = _shared(widths["name"], widths["counter"], max(20, room - 4), half)
    page.raw(Text(_joined({name: _HEADS[name] for name in columns}, widths), style="dim"))
    for line in lines:
        text = {name: getattr(line, name) for name in columns}
        page.raw(Text(_joined(text, widths), style=_STYLES.get(line.judged, "")))


def _shared(name: int, counter: int, room: int, half: int) -> tuple[int, int]:
    """Widths of both names where they don't fit: who needs less than half leaves the rest to the other."""
    if name + counter <= room:
        return name, counter
    if name <= half:
        return name, room - name
    if counter <= half:
        return room - counter, counter
    return half, room - half


def _joined(text: dict[str, str], widths: dict[str, int]) -> str:
    parts = []
    for name, whole in text.items():
        cell = _cut(whole, widths[name], at_end=name == "counter")
        space = " " * (widths[name] - cell_len(cell))
        parts.append(cell + space if name in _LEFT else space + cell)
    return "  ".join(parts).rstrip()


def _cut(text: str, width: int, *, at_end: bool) -> str:
    """Cut a text at its end, or in its middle: names of devices, and of parts, differ at both ends.

    Of ``naa.… on esx03`` the name is cut, not its last digits, which tell one LUN from another.
    """
    if cell_len(text) <= width:
        return text
    name, on, where = text.rpartition(" on ")
    if on and not at_end and cell_len(on + where) <= width - _LEAST_NAME:
        return _cut(name, width - cell_len(on + where), at_end=False) + on + where
    end = "" if at_end else text
    while cell_len(end) > (width - 1) // 2:
        end = end[1:]
    return set_cell_size(text, width - 1 - cell_len(end)).rstrip() + "…" + end


def _write_rest(found: Comparison, clock: Clock, page: _Page) -> None:
    lines = change_lines(found.changes, _EACH)
    lines += [
        f"{one.counter} only in {one.side.upper()}, of {one.entities} entities"
        for one in found.counters[:_EACH]
    ]
    if len(found.counters) > _EACH:
        lines.append(f"… and {len(found.counters) - _EACH} more counters in one window only")
    if lines:
        page.line()
        page.line("What else differs", style="bold")
        for line in lines:
            page.line(line, indent=2, lead=4)
    if found.events:
        page.line()
        page.line("What happened, perhaps why", style="bold")
        for event in found.events[-_EVENTS:]:
            name = found.records[1].name(event.entity, event.at) if event.entity else ""
            page.line(event_line(event, name, clock), indent=2, lead=4)
        if len(found.events) > _EVENTS:
            page.line(
                f"… and {format_count(len(found.events) - _EVENTS)} earlier ones; --json has them.", indent=2
            )
