"""Keeps a recorder small that runs for days."""

from __future__ import annotations

import gc


def tidy_often(objects: int) -> None:
    """Look for garbage in cycles whenever there are so many new objects; never in what is there now.

    The program looks for it seldom, which makes imports fast; a recorder makes few objects for a long time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(objects)
