"""The keys that pin a moment and move it from sample to sample, the same in every view with a time axis."""

from __future__ import annotations

from widgets.keys import KeyRow

STEPS = {"Left": -1, "Right": 1, "Shift+Left": -10, "Shift+Right": 10}
"""By how many samples a key moves the pinned moment."""

PIN = KeyRow("pin", "Pin the moment in the middle, or let go of it", ("Space",))
STEP = KeyRow("step", "Move the pinned moment by a sample", ("Left", "Right"))
TEN = KeyRow("ten", "Move the pinned moment by ten samples", ("Shift+Left", "Shift+Right"))
ENDS = KeyRow("ends", "Move the pinned moment to the first or last sample", ("Home", "End"))

WHILE_PINNED = (STEP, TEN, ENDS)
"""Keys that mean something else, or nothing, while no moment is pinned."""

KEYS = (PIN, *WHILE_PINNED)
