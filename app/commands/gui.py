"""``gui``: opens the window; this is what ``hyperscope`` does without arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.display import has_display, require_libraries
from resources.failures import UsageError


def gui(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]…", help="Sessions or captures to open.")
    ] = None,
) -> None:
    """Open the window, on a session or capture if one is given."""
    if not has_display():
        raise UsageError(
            "There is no display to open a window on.",
            advice="'hyperscope demo --headless' shows the same in the terminal.",
        )
    require_libraries()
    from app.gui.start import run_window  # noqa: PLC0415 - Qt only when there is a display

    raise typer.Exit(run_window(files or []))
