"""The esxtop page while its rows change: other screens, other hosts."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.gui.application import Program
from tests.gui.recordings import record
from tests.gui.windows import child_of, wait
from widgets.esxtop import EsxtopView


def test_sparklines_follow_each_change_of_screen(live: Program, qtbot: QtBot, home: Path) -> None:
    """A screen with more rows than the one before is sorted before its numbers are there."""
    session = record(home / "a.hscope", seconds=120)
    live.workbench.open_paths([session])
    wait(qtbot, lambda: live.desk.session.path == session)
    live.window.show_panel("esxtop")
    view = child_of(live.window, EsxtopView)
    rows = view.table.model().rowCount
    wait(qtbot, rows)
    view.sparks.setChecked(True)
    shown = []
    for screen in (*range(view.tabs.count()), *reversed(range(view.tabs.count()))):
        view.tabs.setCurrentIndex(screen)  # an exception in a slot fails the test
        shown.append(rows())
    assert len(set(shown)) > 2


def test_sparklines_are_switched_on_before_the_new_rows_have_numbers(
    live: Program, qtbot: QtBot, home: Path
) -> None:
    """From a screen with fewer rows and columns to one with more, and at the end of the session."""
    session = record(home / "a.hscope", seconds=120)
    live.workbench.open_paths([session])
    wait(qtbot, lambda: live.desk.session.path == session)
    live.window.show_panel("esxtop")
    view = child_of(live.window, EsxtopView)
    wait(qtbot, view.table.model().rowCount)
    wait(qtbot, lambda: not live.desk.jobs.busy("esxtop"))
    for screen in (*range(view.tabs.count()), *reversed(range(view.tabs.count()))):
        view.sparks.setChecked(False)
        view.tabs.setCurrentIndex(screen)
        view.sparks.setChecked(True)  # an exception in a slot fails the test
        wait(qtbot, lambda: not live.desk.jobs.busy("esxtop") and not live.desk.jobs.busy("esxtop.sparks"))
    live.desk.session.close()
    view.sparks.setChecked(False)
    view.sparks.setChecked(True)
    assert view.table.model().rowCount() == 0
