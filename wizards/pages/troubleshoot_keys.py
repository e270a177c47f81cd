"""The keys of the Troubleshoot page, for its key handlers and the shortcut sheet."""

from __future__ import annotations

from widgets.context_menu import KEYS as MENU_KEYS
from widgets.keys import KeyRow

ROW_KEYS = (KeyRow("open", "Show the check's numbers in Charts", ("Return",)),)
"""The keys of the list of checks."""
PAGE_KEYS = (
    KeyRow("found", "Found only, or all checks", ("F",)),
    KeyRow("verify", "Done, verify: did the fix work?", ("V",)),
    KeyRow("note", "Write a note", ("N",)),
    KeyRow("again", "Check again", ("R",)),
)
"""The keys of the whole page."""
KEYS = (
    KeyRow("choose", "Choose a check: its numbers are shown", ("Up", "Down")),
    *ROW_KEYS,
    *PAGE_KEYS,
    *MENU_KEYS,
)
