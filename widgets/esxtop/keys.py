"""esxtop's own keys, as rows of a table."""

from __future__ import annotations

from collections.abc import Sequence

from resources.views import Screen
from widgets.context_menu import COPY, SAVE
from widgets.keys import KeyRow

COPY_ROWS = "Ctrl+Shift+C"
LEFT, RIGHT = "Ctrl+Shift+Left", "Ctrl+Shift+Right"


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
        KeyRow("name", "Sort by name", ("Shift+N",)),
        KeyRow("chart", "Chart the selected cells", ("Return",)),
        KeyRow("rows", "Down and up a row", ("2", "8")),
        KeyRow("names", "Length of names: all of them, or as the columns leave", ("Shift+L",)),
        KeyRow("columns", "Move the column to the left or right", (LEFT, RIGHT)),
        KeyRow("find", "Find in the table", ("Ctrl+F",)),
        KeyRow("next", "Next match, match before", ("F3", "Shift+F3")),
        KeyRow("copy", "Copy the selected cells", (COPY,)),
        KeyRow("copy_rows", "Copy the selected rows", (COPY_ROWS,)),
        KeyRow("save", "Save the table as a file", (SAVE,)),
        KeyRow("meaning", "What the column means", ("H",)),
        KeyRow("menu", "Open the menu of the cell", ("Shift+F10", "Menu")),
    )


def _in_sentence(title: str) -> str:
    """Return a title as it is written within a sentence: ``memory`` for ``Memory``; ``CPU`` unchanged."""
    return title[:1].lower() + title[1:] if title[1:2].islower() else title


def portable(letter: str) -> str:
    """Return Qt's portable name of an esxtop key: ``Shift+V`` for ``V``, ``V`` for ``v``."""
    return f"Shift+{letter}" if letter.isupper() else letter.upper()
