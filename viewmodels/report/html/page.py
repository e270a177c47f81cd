"""Writes the HTML of a report: blocks as elements, in one file with its style."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from resources.report_words import report_style
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
)
from viewmodels.report.html.markup import attribute, text
from viewmodels.report.html.svg import svg
from viewmodels.report.links import with_live_links

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""A file that could run nothing and load nothing, even if a name in it were taken for markup."""
_LOOKS = (("auto", "As the system"), ("light", "Light"), ("dark", "Dark"))
_SYMBOLS: dict[Severity, str] = {"critical": "▲", "warning": "◆", "info": "■"}


def report_html(report: Report) -> str:
    """Return the whole file."""
    return "".join(_file(with_live_links(report)))


def _file(report: Report) -> Iterator[str]:
    yield f'<!DOCTYPE html>\n<html lang="{attribute(report.language)}">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
    yield f'<meta name="generator" content="{attribute(report.program)}">\n'
    yield f"<title>{text(report.title)}</title>\n<style>\n{report_style()}</style>\n</head>\n<body>\n"
    yield from _look_switch(report.look)
    yield '<div class="sheet">\n'
    yield from _head(report)
    for number, section in report.numbered():
        yield from _section(number, section)
    yield from _foot(report)
    yield "</div>\n</body>\n</html>\n"


def _look_switch(look: str) -> Iterator[str]:
    """Buttons for light and dark without a script: the style sheet asks which one is checked."""
    yield '<form class="looks"><fieldset><legend>Look</legend>\n'
    for name, title in _LOOKS:
        checked = " checked" if name == look else ""
        yield f'<input type="radio" name="look" id="look-{name}"{checked}>'
        yield f'<label for="look-{name}">{title}</label>\n'
    yield "</fieldset></form>\n"


def _head(report: Report) -> Iterator[str]:
    yield '<header class="top"><p class="brand"><b>hyper<i>scope</i></b> Performance report'
    yield f"<span>{text(report.made)}</span></p>\n"
    if report.is_simulated:
        yield '<p class="lab">Lab: simulated servers</p>\n'
    yield f'<h1>{text(report.title)}</h1>\n<p class="sub">{text(report.byline)}</p>\n</header>\n'
    links = [
        f'<a href="#{attribute(one.key)}">{number}. {text(one.title)}</a>'
        for number, one in report.numbered()
        if number
    ]
    if links:
        yield f'<nav aria-label="Contents">{" ".join(links)}</nav>\n'


def _section(number: int, section: Section) -> Iterator[str]:
    name = attribute(section.key)
    first = ' class="first"' if number == 0 else ""
    yield f'<section id="{name}" aria-labelledby="{name}-title"{first}>\n'
    note = f"<small>{text(section.note)}</small>" if section.note else ""
    shown_number = f"<span>{number}</span> " if number else ""
    hidden = ' class="spoken"' if number == 0 else ""
    yield f'<h2 id="{name}-title"{hidden}>{shown_number}{text(section.title)}{note}</h2>\n'
    for block in section.blocks:
        yield from _WRITERS[type(block)](block)
    yield "</section>\n"


def _foot(report: Report) -> Iterator[str]:
    yield f"<footer><p>Made from {text(report.session)} by {text(report.program)}, {text(report.made)}. "
    yield "Percent of CPU time are per vCPU. Nothing in this file comes from a network.</p></footer>\n"


def _paragraph(one: Paragraph) -> Iterator[str]:
    if not any(run.text.strip() for run in one.runs):
        return  # a foreign text of blanks: an element without content is not valid
    runs = "".join(map(_run, one.runs))
    yield f"<p>{runs}</p>\n" if one.style == "plain" else f'<p class="{one.style}">{runs}</p>\n'


def _run(run: Run) -> str:
    inner = text(run.text)
    if run.tone != "plain":
        inner = f'<span class="t-{run.tone}">{inner}</span>'
    return f"<b>{inner}</b>" if run.is_bold else inner


def _tiles(one: Tiles) -> Iterator[str]:
    yield '<ul class="tiles">\n'
    for tile in one.tiles:
        value = _linked(text(tile.value), tile.link)
        yield f'<li><b class="t-{tile.tone}">{value}</b><span>{text(tile.label)}</span></li>\n'
    yield "</ul>\n"


def _table(one: Table) -> Iterator[str]:
    if one.rows:
        yield "<table>\n<colgroup>"
        whole = sum(column.weight for column in one.columns)
        for column in one.columns:
            yield f'<col style="width:{100 * column.weight / whole:.1f}%">'
        yield f"</colgroup>\n<thead><tr>{''.join(map(_column, one.columns))}</tr></thead>\n<tbody>\n"
        for row in one.rows:
            cells = (_cell(cell, column) for cell, column in zip(row, one.columns, strict=True))
            yield f"<tr>{''.join(cells)}</tr>\n"
        yield "</tbody>\n</table>\n"
    if one.note:
        yield f'<p class="muted">{text(one.note)}</p>\n'


def _column(column: Column) -> str:
    number = ' class="n"' if column.is_number else ""
    return f'<th scope="col"{number}>{text(column.head)}</th>'


def _cell(cell: Cell, column: Column) -> str:
    classes = ["n"] * column.is_number + [f"t-{cell.tone}"] * (cell.tone != "plain") + ["b"] * cell.is_bold
    name = f' class="{" ".join(classes)}"' if classes else ""
    symbol = f"{_symbol(cell.symbol)} " if cell.symbol else ""
    return f"<td{name}>{symbol}{_linked(text(cell.text), cell.link)}</td>"


def _linked(markup: str, anchor: str) -> str:
    return f'<a class="proof" href="#{attribute(anchor)}">{markup}</a>' if anchor and markup else markup


def _symbol(severity: Severity) -> str:
    return f'<span class="t-{severity}" role="img" aria-label="{severity}">{_SYMBOLS[severity]}</span>'


def _figure(one: Figure) -> Iterator[str]:
    note = f"<small>{text(one.note)}</small>" if one.note else ""
    anchor = f' id="{attribute(one.anchor)}"' if one.anchor else ""
    yield f"<figure{anchor}>\n<figcaption>{text(one.title)}{note}</figcaption>\n"
    yield f"{svg(one.drawing)}\n</figure>\n"


def _causes(one: Causes) -> Iterator[str]:
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("Cause", "Because"))
    yield f'<table class="causes">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n'
    for cause in one.causes:
        kind = cause.verdict.replace(" ", "-")
        yield (
            f'<tr><td><span class="verdict v-{kind}">{cause.verdict}</span> {text(cause.title)}</td>'
            f'<td class="t-muted">{text(cause.because)}</td></tr>\n'
        )
    yield "</tbody>\n</table>\n"


def _steps(one: Steps) -> Iterator[str]:
    tag = "ol" if one.is_ordered else "ul"
    if any(item.strip() for item in one.items):
        items = "".join(f"<li>{text(item)}</li>\n" for item in one.items if item.strip())
        yield f"<{tag}>\n{items}</{tag}>\n"


def _heading(one: Heading) -> Iterator[str]:
    symbol = f"{_symbol(one.symbol)} " if one.symbol else ""
    note = f"<small>{text(one.note)}</small>" if one.note else ""
    anchor = f' id="{attribute(one.anchor)}"' if one.anchor else ""
    yield f"<h{one.level}{anchor}>{symbol}{text(one.text)}{note}</h{one.level}>\n"


def _callout(one: Callout) -> Iterator[str]:
    chips = "".join(f"<span>{text(chip)}</span>" for chip in one.chips)
    shown_chips = f'<p class="chips">{chips}</p>' if chips else ""
    sentence = f"<p>{text(one.sentence)}</p>" if one.sentence.strip() else ""
    yield f'<div class="callout c-{one.tone}"><p><b>{text(one.line)}</b></p>{sentence}{shown_chips}</div>\n'


_WRITERS: dict[type[Block], Callable[[Any], Iterator[str]]] = {
    Paragraph: _paragraph,
    Tiles: _tiles,
    Table: _table,
    Figure: _figure,
    Causes: _causes,
    Steps: _steps,
    Heading: _heading,
    Callout: _callout,
}
