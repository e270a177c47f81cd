"""The keys of the Report page, for its key handlers and the shortcut sheet."""

from __future__ import annotations

from widgets.keys import KeyRow

PAGE_KEYS = (
    KeyRow("html", "Save the report as HTML", ("Ctrl+Return",)),
    KeyRow("pdf", "Save the report as PDF", ("Ctrl+Shift+Return",)),
    KeyRow("paper", "Print the report", ("Ctrl+P",)),
    KeyRow("again", "Write the report anew", ("R",)),
)
"""The keys of the page and of the pane beside it."""
LIST_KEYS = (
    KeyRow("up", "Move the chosen section up", ("Alt+Up",)),
    KeyRow("down", "Move the chosen section down", ("Alt+Down",)),
)
"""The keys of the contents."""
KEYS = (
    *PAGE_KEYS,
    KeyRow("tick", "Take the chosen section in, or leave it out", ("Space",)),
    *LIST_KEYS,
)
