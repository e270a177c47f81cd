"""A report on paper: no row is cut, heads come again, and what Qt writes has as many pages as it says."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication

from viewmodels.report.document import (
    Cell,
    Column,
    Figure,
    Heading,
    Report,
    Section,
    Table,
    paragraph,
)
from viewmodels.report.drawing import Box as DrawnBox
from viewmodels.report.drawing import Dot, Drawing, Label, Polyline
from widgets.report_print import PAGE_SIZES, report_pdf
from widgets.report_print.boxes import Box
from widgets.report_print.pdf import paginated


@dataclass
class Block:
    """A box that is only a height."""

    name: str
    height: float
    keeps_next: bool = False
    repeats: Box | None = None
    ends_page: bool = False

    def paint(self, painter: QPainter, x: float, y: float) -> None:
        """Paint nothing."""


def pages_of(*boxes: Block, height: float = 100.0) -> list[str]:
    pages = paginated(boxes, height)
    for page in pages:
        assert all(one.y + one.box.height <= height for one in page)  # nothing is cut
    return [" ".join(one.box.name for one in page if isinstance(one.box, Block)) for page in pages]


def test_what_does_not_fit_begins_a_page() -> None:
    assert pages_of(Block("a", 60), Block("b", 30), Block("c", 30)) == ["a b", "c"]


def test_a_heading_stands_with_what_follows() -> None:
    title, sub = Block("title", 20, keeps_next=True), Block("sub", 10, keeps_next=True)
    assert pages_of(Block("a", 60), title, sub, Block("b", 30)) == ["a", "title sub b"]


def test_the_heads_of_a_table_come_again() -> None:
    head = Block("head", 10, keeps_next=True)
    rows = [Block(f"row{number}", 40, repeats=head) for number in range(4)]
    assert pages_of(head, *rows) == ["head row0 row1", "head row2 row3"]


def test_a_section_ends_its_page() -> None:
    assert pages_of(Block("a", 10, ends_page=True), Block("b", 10)) == ["a", "b"]
    assert pages_of(Block("a", 10, ends_page=True)) == ["a"]


def report(rows: int) -> Report:
    drawing = Drawing(
        60.0,
        (
            Polyline(((0.0, 0.0), (100.0, 50.0)), "series1"),
            DrawnBox(0, 0, 5, 5, "critical", 0.5), Dot(9, 9, 2, "info"),
            Label(0, 20, "שלום 12 %", anchor="middle"),
        ),
        "a line",
    )  # fmt: skip
    cells = [(Cell(f"vm-{number}", symbol="warning"), Cell("12.5 %")) for number in range(rows)]
    table = Table((Column("Name"), Column("Ready", is_number=True)), tuple(cells), "and 3 more")
    first = Section(
        "summary", "Summary", "", (paragraph("What happened: <b>nothing</b> in שלום.", style="lead"),)
    )
    second = Section("all", "All", "", (Heading("Hosts"), Figure("Ready", "", drawing), table))
    return Report(
        "A title", "", (first, second), "s.hscope", "2026-11-23 05:00:00 UTC", "Hyperscope", is_simulated=True
    )


@pytest.mark.parametrize("size", PAGE_SIZES)
def test_the_file_has_as_many_pages_as_it_says(qapp: QApplication, size: str) -> None:
    content, count = report_pdf(report(200), size)
    assert content.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b", content)) == count
    assert 5 <= count <= 9
    width, height = map(float, re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", content)[0])
    assert (round(width), round(height)) == {"a4": (595, 842), "letter": (612, 792)}[size]


def test_printing_can_be_stopped(qapp: QApplication) -> None:
    class StoppedError(Exception):
        pass

    def check() -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        report_pdf(report(3), "a4", check)
