"""Results on stdout, progress and notes on stderr, as rich draws them; quiet in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn


def results() -> Console:
    """The console for results; without markup, since names in it are foreign text."""
    return Console(markup=False, highlight=False, soft_wrap=not sys.stdout.isatty())


def notices() -> Console:
    """The console for progress and notes."""
    return Console(stderr=True, markup=False, highlight=False)


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[float | None, str], None]]:
    """A bar on a terminal, nothing in a pipe: call it with the done part (0–1 or None) and a text."""
    console = notices()
    if not console.is_terminal:
        yield lambda _part, _text: None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[text]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=1.0, text="")

        def show(part: float | None, text: str) -> None:
            known: dict[str, Any] = {"total": 1.0, "completed": part} if part is not None else {"total": None}
            bar.update(task, text=text, **known)

        yield show
