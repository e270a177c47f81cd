"""Results on stdout, progress and notes on stderr, as rich draws them; quiet in a pipe.

Whatever is printed is made safe here: only rich itself can colour a terminal or move its cursor.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn
from rich.segment import Segment
from rich.text import Text

from resources.foreign_text import shown, visible

MAX_LINE = 2000


class SafeConsole(Console):
    """A console that prints foreign text as text: see ``resources.foreign_text``. Without markup."""

    def __init__(self, *, stderr: bool = False, soft_wrap: bool = False) -> None:
        super().__init__(stderr=stderr, soft_wrap=soft_wrap, markup=False, highlight=False, emoji=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Everything that is printed comes through here, cells of tables and pages that are renewed too."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment("\n".join(map(visible, segment.text.split("\n"))), segment.style)


def results() -> SafeConsole:
    """The console for results."""
    return SafeConsole(soft_wrap=not sys.stdout.isatty())


def notices() -> SafeConsole:
    """The console for progress and notes."""
    return SafeConsole(stderr=True)


def one_line(text: str, style: str = "") -> Text:
    """Foreign text for a console, without line breaks of its own and not endless."""
    return Text(shown(text, MAX_LINE), style=style)


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
