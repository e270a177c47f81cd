"""The keys of the list of what moved, for its key handler and the shortcut sheet."""

from __future__ import annotations

from widgets.keys import KeyRow

KEYS = (
    KeyRow("move", "Go from row to row", ("Up", "Down")),
    KeyRow("open", "Show both series in Charts", ("Return",)),
)
