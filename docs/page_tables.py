"""Markdown tables for the generated pages."""

from __future__ import annotations

from collections.abc import Iterable


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; a pipe in a cell is escaped."""
    heads = list(head)
    all_rows = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n" for row in all_rows)


def lines(parts: Iterable[str]) -> str:
    """Several lines in one cell."""
    return "<br>".join(parts)
