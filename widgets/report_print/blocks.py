"""Turns the blocks of a report into boxes for pages of a given width."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from sessions.findings import Severity
from viewmodels.report.document import (
    Block,
    Callout,
    Causes,
    Cell,
    Column,
    Figure,
    Heading,
    Paragraph,
    Report,
    Run,
    Section,
    Steps,
    Table,
    Tiles,
    Tone,
)
from widgets.report_print.boxes import Box, Lines, RowBox, SideBySide, TextBox
from widgets.report_print.drawn import DrawingBox
from widgets.report_print.ink import Ink

_BODY, _SMALL, _TABLE, _NOTE = 8.6, 7.6, 7.6, 7.4
_TITLE, _SECTION, _HEADING, _LOWER = 19.0, 13.5, 10.2, 8.8
_MANY_COLUMNS, _DENSE = 9, 6.4
_SYMBOLS: dict[Severity, str] = {"critical": "▲", "warning": "◆", "info": "■"}
_CAUSES = (Column("Cause", weight=1.0), Column("Because", weight=1.5))
_VERDICTS: dict[str, Tone] = {"likely": "critical", "possible": "warning"}


class BoxMaker:
    """Makes the boxes of a report for a width, in units of the device."""

    def __init__(self, ink: Ink, width: float) -> None:
        self._ink, self._width = ink, width
        self._makers: dict[type[Block], Callable[[Any], Iterator[Box]]] = {
            Paragraph: self._paragraph,
            Tiles: self._tiles,
            Table: self._table,
            Figure: self._figure,
            Causes: self._causes,
            Steps: self._steps,
            Heading: self._heading,
            Callout: self._callout,
        }

    def report(self, report: Report) -> Iterator[Box]:
        """Yield the boxes of a report; the first section ends its page."""
        yield from self.head(report)
        for number, section in report.numbered():
            yield from self.section(number, section, is_last=section is report.sections[-1])

    def head(self, report: Report) -> Iterator[Box]:
        """Yield what stands above the first section."""
        if report.is_simulated:
            yield self._text([Run("Lab: simulated servers", is_bold=True, tone="info")], _SMALL, keeps=True)
        yield self._text([Run(report.title, is_bold=True)], _TITLE, keeps=True)
        yield self._text([Run(report.byline, tone="muted")], _SMALL, keeps=True)

    def section(self, number: int, section: Section, *, is_last: bool) -> Iterator[Box]:
        """Yield the boxes of a section; number 0 is the page for a manager, which nothing else shares."""
        if number:
            runs = [Run(f"{number}  ", is_bold=True, tone="info"), Run(section.title, is_bold=True)]
            note = [Run(f"   {section.note}", tone="muted")] if section.note else []
            yield self._text([*runs, *note], _SECTION if not note else _SECTION - 1.5, above=16, keeps=True)
        before: Box | None = None
        for box in (box for block in section.blocks for box in self._makers[type(block)](block)):
            if before is not None:
                yield before
            before = box
        if before is not None:
            before.ends_page = number == 0 and not is_last
            yield before

    def _text(
        self, runs: Sequence[Run], points: float, *, above: float = 3.0, keeps: bool = False
    ) -> TextBox:
        lines = Lines.of(self._ink, runs, points, self._width)
        return TextBox(self._ink, lines, self._width, above=above, keeps_next=keeps)

    def _framed(self, runs: Sequence[Run], points: float, edge: str, above: float = 6.0) -> TextBox:
        padding = 7.0
        room = self._width - 2 * padding * self._ink.point
        return TextBox(
            self._ink, Lines.of(self._ink, runs, points, room), self._width, above, padding=padding, edge=edge
        )

    def _paragraph(self, one: Paragraph) -> Iterator[Box]:
        if one.style == "lead":
            yield self._framed(one.runs, _BODY + 0.8, "info", above=8.0)
        elif one.style == "muted":
            runs = [run if run.tone != "plain" else Run(run.text, run.is_bold, "muted") for run in one.runs]
            yield self._text(runs, _SMALL)
        else:
            yield self._text(one.runs, _BODY)

    def _callout(self, one: Callout) -> Iterator[Box]:
        chips = f"   {' · '.join(one.chips)}" if one.chips else ""
        runs = [Run(one.line, is_bold=True), Run(f"  {one.sentence}"), Run(chips, tone="muted")]
        yield self._framed(runs, _BODY, one.tone if one.tone != "plain" else "axis")

    def _tiles(self, one: Tiles) -> Iterator[Box]:
        count, gap = max(len(one.tiles), 1), 6 * self._ink.point
        each = (self._width - gap * (count - 1)) / count
        room = each - 12 * self._ink.point
        tiles = [
            (
                Lines.of(self._ink, [Run(tile.value, is_bold=True, tone=tile.tone)], 13.0, room),
                Lines.of(self._ink, [Run(tile.label, tone="muted")], _NOTE, room),
            )
            for tile in one.tiles
        ]
        yield SideBySide(self._ink, tiles, each, gap)

    def _heading(self, one: Heading) -> Iterator[Box]:
        points, above = (_HEADING, 11.0) if one.level == 3 else (_LOWER, 7.0)
        symbol = [Run(f"{_SYMBOLS[one.symbol]} ", tone=one.symbol)] if one.symbol else []
        note = [Run(f"   {one.note}", tone="muted")] if one.note else []
        yield self._text([*symbol, Run(one.text, is_bold=True), *note], points, above=above, keeps=True)

    def _steps(self, one: Steps) -> Iterator[Box]:
        indent = 14.0
        room = self._width - indent * self._ink.point
        for number, item in enumerate(one.items, start=1):
            lines = Lines.of(self._ink, [Run(item)], _BODY, room)
            sign = f"{number}." if one.is_ordered else "•"
            mark = Lines.of(self._ink, [Run(sign, tone="muted")], _BODY, indent * self._ink.point)
            yield TextBox(self._ink, lines, self._width, above=1.5, indent=indent, mark=mark)

    def _figure(self, one: Figure) -> Iterator[Box]:
        note = [Run(f"   {one.note}", tone="muted")] if one.note else []
        title = Lines.of(self._ink, [Run(one.title, is_bold=True), *note], _TABLE, self._width)
        yield DrawingBox(self._ink, title, one.drawing, self._width)

    def _causes(self, one: Causes) -> Iterator[Box]:
        rows = [
            (
                [
                    Run(f"{cause.verdict}  ", is_bold=True, tone=_VERDICTS.get(cause.verdict, "muted")),
                    Run(cause.title),
                ],
                [Run(cause.because, tone="muted")],
            )
            for cause in one.causes
        ]
        yield from self._rows(_CAUSES, rows)

    def _table(self, one: Table) -> Iterator[Box]:
        yield from self._rows(one.columns, [tuple(map(_cell, row)) for row in one.rows])
        if one.note:
            yield self._text([Run(one.note, tone="muted")], _NOTE)

    def _rows(self, columns: Sequence[Column], rows: Sequence[Sequence[Sequence[Run]]]) -> Iterator[Box]:
        """Yield the heads, which are repeated on each page, and the rows, of which none is cut."""
        if not rows:
            return
        whole = sum(column.weight for column in columns)
        gap = (9 if len(columns) <= _MANY_COLUMNS else 5) * self._ink.point
        widths = [self._width * column.weight / whole for column in columns]
        places = [0.0, *accumulate(widths[:-1])]

        points = _TABLE if len(columns) <= _MANY_COLUMNS else _DENSE

        def row(cells: Sequence[Sequence[Run]], line: str) -> RowBox:
            lines = [
                Lines.of(self._ink, runs, points, max(width - gap, gap), at_right=column.is_number)
                for runs, width, column in zip(cells, widths, columns, strict=True)
            ]
            return RowBox(self._ink, lines, places, self._width, line)

        head = row([[Run(column.head, tone="muted")] for column in columns], "axis")
        head.keeps_next = True
        yield head
        for cells in rows:
            box = row(cells, "line")
            box.repeats = head
            yield box


def _cell(cell: Cell) -> list[Run]:
    symbol = [Run(f"{_SYMBOLS[cell.symbol]} ", tone=cell.symbol)] if cell.symbol else []
    return [*symbol, Run(cell.text, cell.is_bold, cell.tone)]
