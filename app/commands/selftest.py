"""``selftest``: checks this installation: makes a session, diagnoses it, and shows it in a window."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from app.consoles import results
from app.display import require_libraries
from app.terminal import print_json
from lab import Lab, find_scenario, load_scenarios, record_lab
from resources.failures import HyperscopeError
from sessions.store import SessionReader, SessionWriter

_LAB_S = 600.0
_WAIT_MS = 60_000


def selftest(
    screenshot: Annotated[
        Path | None, typer.Option("--screenshot", metavar="FILE.png", help="Keep a picture of the window.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")] = False,
) -> None:
    """Make a sample session, open it in a window (offscreen if there is no display), and check what
    is shown.
    """
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    require_libraries()
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample.hscope"
        with SessionWriter.create(path, title="Sample", durable=False) as writer:
            record_lab(Lab(find_scenario(load_scenarios(), "demo"), seed=1), writer, duration_s=_LAB_S)
        with SessionReader.open(path) as reader:
            samples = reader.info().samples
        recorded = time.perf_counter() - begun
        from app.gui.selftest import WindowCheck, check_window  # noqa: PLC0415 - Qt only once its platform is chosen

        seen: WindowCheck = check_window(path, Path(folder), screenshot, _WAIT_MS)
    if not seen.charts or not seen.findings:
        raise HyperscopeError(
            "The window opened but did not show what it should.",
            meaning=f"It drew {seen.charts} charts and {seen.findings} findings where there are some.",
            advice="Please send us the output of 'hyperscope selftest --json'.",
        )
    report = {
        "platform": seen.platform,
        "samples": samples,
        "recorded_s": round(recorded, 2),
        "window_s": round(seen.window_s, 2),
        "first_chart_s": round(seen.first_chart_s, 2),
        "charts": seen.charts,
        "findings": seen.findings,
    }
    if as_json:
        print_json(report)
        return
    results().print(
        f"All is well: {samples:,} samples recorded in {recorded:.1f} s, window after {seen.window_s:.1f} s, "
        f"{seen.charts} charts, {seen.findings} findings."
    )
