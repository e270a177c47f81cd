"""The command that makes the same comparison without a window."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from resources.shell_words import shell_command
from sessions.times import TimeRange, iso
from viewmodels.comparison_choices import PairOffer


def comparison_command(
    pair: PairOffer,
    session: Path,
    left_out: Iterable[TimeRange],
    *,
    on_windows: bool = sys.platform == "win32",
) -> str:
    """Return ``hyperscope compare /where/A.hscope --a …..… --b …..…``, which works from any folder; times
    are UTC.
    """
    first, second = ((side.session or session).absolute() for side in (pair.a, pair.b))
    files = [first] if first == second else [first, second]
    words = ["hyperscope", "compare", *map(str, files)]
    words += ["--a", _window(pair.a.window), "--b", _window(pair.b.window)]
    for window in left_out:
        words += ["--leave-out", _window(window)]
    return shell_command(words, on_windows=on_windows)


def _window(window: TimeRange) -> str:
    return f"{iso(window.start)}..{iso(window.end)}"
