"""``gui``: the window; what ``hyperscope`` opens when it is given nothing to do."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from resources.failures import UsageError


def gui(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]…", help="Sessions or captures to open.")
    ] = None,
) -> None:
    """Open the window, on a session or capture if one is given."""
    from app.gui.start import has_display, run_window  # noqa: PLC0415 - Qt only when a window is wanted

    if not has_display():
        raise UsageError(
            "There is no display to open a window on.",
            advice="'hyperscope demo --headless' shows the same in the terminal.",
        )
    raise typer.Exit(run_window(files or []))
