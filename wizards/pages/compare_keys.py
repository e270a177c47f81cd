"""The keys of the Compare page, for its key handlers and the shortcut sheet."""

from __future__ import annotations

from widgets.context_menu import KEYS as MENU_KEYS
from widgets.keys import KeyRow

ROW_KEYS = (
    KeyRow("open", "Show the row in Charts, over both windows", ("Return",)),
    KeyRow("pin", "Pin the row's chart, or let it go", ("P",)),
)
"""The keys of the table of changes."""
PAGE_KEYS = (
    KeyRow("swap", "Swap A and B", ("X",)),
    KeyRow("again", "Compare again", ("R",)),
    KeyRow("search", "Search names and counters", ("/",)),
)
"""The keys of the page and of the pane beside it."""
KEYS = (
    KeyRow("choose", "Choose a row: its charts are shown", ("Up", "Down")),
    *ROW_KEYS,
    *PAGE_KEYS,
    *MENU_KEYS,
)
