"""The command that makes the same comparison without a window."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sessions.times import TimeRange, iso
from viewmodels.comparison_choices import PairOffer


def comparison_command(pair: PairOffer, session: Path, left_out: Iterable[TimeRange]) -> str:
    """Return ``hyperscope compare A.hscope --a …..… --b …..…``; times are UTC."""
    first, second = (side.session or session for side in (pair.a, pair.b))
    files = [first] if first == second else [first, second]
    words = ["hyperscope", "compare", *(_quoted(one.name) for one in files)]
    words += ["--a", _window(pair.a.window), "--b", _window(pair.b.window)]
    for window in left_out:
        words += ["--leave-out", _window(window)]
    return " ".join(words)


def _window(window: TimeRange) -> str:
    return f"{iso(window.start)}..{iso(window.end)}"


def _quoted(name: str) -> str:
    """A file's name as shells of every system take it: quoted if it has more than plain letters."""
    return name if name.replace("-", "").replace("_", "").replace(".", "").isalnum() else f'"{name}"'
