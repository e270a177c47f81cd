"""How many clicks and keys everyday tasks take, with real events on an X display.

Their limits are those of the project; nobody has measured the peers so.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.measure import Row
from tests.e2e.task_runs import do_tasks
from tests.e2e.tasks import Deed


def measure(cache: Path, *, quick: bool) -> list[Row]:  # noqa: ARG001 - it takes a minute, quick or not
    """Do every task once; return a row for each."""
    with tempfile.TemporaryDirectory() as name:
        return [_row(deed) for deed in do_tasks(Path(name))]


def _row(deed: Deed) -> Row:
    clicks, keys = deed.limits
    typed = f", “{deed.typed[0]}” typed" if deed.typed else ""
    took = f"{deed.clicks} clicks, {deed.keys} keys{typed}" if deed.done else f"not done: {deed.why}"
    return Row(deed.task, took, "–", "–", f"≤ {clicks} clicks, ≤ {keys} keys", deed.holds)
