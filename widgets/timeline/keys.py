"""The keys of the timeline, for its key handler and the shortcut sheet."""

from __future__ import annotations

from widgets import moment_keys
from widgets.keys import KeyRow

WINDOW_KEYS = (
    KeyRow("move", "Move the window", ("Left", "Right", "Ctrl+Left", "Ctrl+Right")),
    KeyRow("widen", "Move the window's end", ("Shift+Left", "Shift+Right")),
    KeyRow("marks", "Go from mark to mark", ("Up", "Down")),
)
MARK_KEYS = (
    KeyRow("note", "Change the note of the mark", ("Return", "F2")),
    KeyRow("unmark", "Remove the mark", ("Del", "Backspace")),
    KeyRow("leave", "Let go of the mark", ("Esc",)),
)
"""Keys that act only while a mark is chosen; otherwise the key press is passed on."""

KEYS = (*WINDOW_KEYS, *moment_keys.KEYS, *MARK_KEYS)
