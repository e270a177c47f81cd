"""The keys of the list of what moved, for its key handler and the shortcut sheet."""

from __future__ import annotations

from widgets.context_menu import KEYS as MENU_KEYS
from widgets.keys import KeyRow

ROW_KEYS = (KeyRow("open", "Show both series in Charts", ("Return",)),)
"""The keys that the list handles itself."""
KEYS = (KeyRow("move", "Go from row to row", ("Up", "Down")), *ROW_KEYS, *MENU_KEYS)
