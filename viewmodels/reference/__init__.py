"""The reference: a page for every known problem and every counter, drawn from the knowledge; no Qt.

``pages`` makes the pages from the cards and the catalogue; ``as_markdown``, ``as_text`` and ``as_json``
draw one for docs/ and the window, for a terminal, and for a program.
"""

from viewmodels.reference.as_json import page_json
from viewmodels.reference.as_markdown import anchor, page_markdown
from viewmodels.reference.as_text import page_text
from viewmodels.reference.pages import Reference
from viewmodels.reference.values import Page, PageKind

__all__ = ["Page", "PageKind", "Reference", "anchor", "page_json", "page_markdown", "page_text"]
