"""The rich consoles: results on stdout, progress and notes on stderr.

Whatever is printed is made safe here: only rich itself can send control sequences to a terminal.
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
    """A rich console that prints foreign text safely (see ``resources.foreign_text``), without markup."""

    def __init__(self, *, stderr: bool = False, soft_wrap: bool = False) -> None:
        super().__init__(stderr=stderr, soft_wrap=soft_wrap, markup=False, highlight=False, emoji=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Return the segments to print, control characters replaced. All output passes through here."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment("\n".join(map(visible, segment.text.split("\n"))), segment.style)


def results() -> SafeConsole:
    """Return a console on stdout, for results."""
    return SafeConsole(soft_wrap=not sys.stdout.isatty())


def notices() -> SafeConsole:
    """Return a console on stderr, for progress and notes."""
    return SafeConsole(stderr=True)


def one_line(text: str, style: str = "") -> Text:
    """Return foreign text as one line for a console, at most MAX_LINE characters long."""
    return Text(shown(text, MAX_LINE), style=style)


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[float | None, str], None]]:
    """Show a progress bar while the block runs (nothing if stderr is no terminal).

    The block gets a function to call with the part done (0 to 1, None: unknown) and a text.
    """
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
