"""esxtop's own keys, as rows of a table."""

from __future__ import annotations

from collections.abc import Sequence

from resources.views import Screen
from widgets.keys import KeyRow


def key_rows(screens: Sequence[Screen]) -> tuple[KeyRow, ...]:
    """Return the keys of the esxtop view: for its screens, their sort columns, and its other functions."""
    titles = ", ".join(_in_sentence(screen.title) for screen in screens)
    sort_keys = dict.fromkeys(letter for screen in screens for letter in screen.sort)
    return (
        KeyRow("screens", f"Screens: {titles}", tuple(portable(screen.key) for screen in screens)),
        KeyRow("vms", "Virtual machines only", ("Shift+V",)),
        KeyRow("expand", "Expand or fold the selected rows", ("E",)),
        KeyRow("fields", "Choose columns and their order", ("F", "O")),
        KeyRow("interval", "How often the table is renewed", ("S",)),
        KeyRow("sparks", "Small curves of the sorted column", ("K",)),
        KeyRow(
            "sort",
            "Sort by used, ready, memory, ballooning, reads, writes … as esxtop",
            tuple(portable(letter) for letter in sort_keys),
        ),
        KeyRow("chart", "Chart the selected cell", ("Return",)),
    )


def _in_sentence(title: str) -> str:
    """Return a title as it is written within a sentence: ``memory`` for ``Memory``; ``CPU`` unchanged."""
    return title[:1].lower() + title[1:] if title[1:2].islower() else title


def portable(letter: str) -> str:
    """Return Qt's portable name of an esxtop key: ``Shift+V`` for ``V``, ``V`` for ``v``."""
    return f"Shift+{letter}" if letter.isupper() else letter.upper()
