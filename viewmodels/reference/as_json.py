"""A page of the reference as JSON values."""

from __future__ import annotations

from viewmodels.reference.values import Block, Line, Page, Paragraph, Table, text_of

Json = dict[str, object]


def page_json(page: Page) -> Json:
    """Return ``{"kind", "name", "title", "sections": [{"title", "content"}], "links"}``.

    Of the content a paragraph is a text, a list is a list of texts, a table a list of rows by their heads.
    """
    links = [
        {"kind": span.page, "name": span.target}
        for section in page.sections
        for block in section.blocks
        for line in _lines(block)
        for span in line
        if span.page
    ]
    return {
        "kind": page.kind,
        "name": page.name,
        "title": page.title,
        "sections": [
            {"title": one.title, "content": [_block(block) for block in one.blocks]} for one in page.sections
        ],
        "links": [link for number, link in enumerate(links) if link not in links[:number]],
    }


def _block(block: Block) -> object:
    if isinstance(block, Paragraph):
        return text_of(block.line)
    if isinstance(block, Table):
        rows = [["\n".join(map(text_of, cell)) for cell in row] for row in block.rows]
        return [dict(zip(block.heads, row, strict=True)) for row in rows]
    return [text_of(line) for line in block.lines]


def _lines(block: Block) -> list[Line]:
    if isinstance(block, Paragraph):
        return [block.line]
    if isinstance(block, Table):
        return [line for row in block.rows for cell in row for line in cell]
    return list(block.lines)
