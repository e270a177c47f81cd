"""What a user does, from start to end, with a real mouse and real keys: run as a process on a display.

``python -m tests.e2e.scenes SCENE HOME [WORD…]`` prints the view at its end as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec
from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from app.gui.application import Program, build
from tests.e2e.chart_scene import charts
from tests.e2e.compare_scene import compare_in_the_lab
from tests.e2e.fixed_in_the_lab_scene import fix_in_the_lab
from tests.e2e.guided_test_scene import guided_test
from tests.e2e.hands import (
    WaitTimeoutError,
    click,
    click_in,
    drag,
    drag_within,
    let_run,
    one_visible,
    press,
    type_,
    until,
    visible,
    wheel_down,
    write_into,
)
from tests.e2e.moment_scene import moment
from tests.e2e.recording_end import stop_recording
from tests.e2e.troubleshoot_scene import troubleshoot_the_lab, verify_a_fix
from widgets.charts.page import ChartsPage
from widgets.connect import ConnectDialog, TrustDialog
from widgets.findings import FindingsView
from widgets.marks import MarkNote

NOTE = "users call"
FEWER_COUNTERS = {"compare", "fix in the lab", "guided test", "troubleshoot"}
"""Scenes whose lab has the 6,000 series that diagnosis reads. A user's has 46,000, as in the scene ``lab``:
to record, judge and compare them takes twice the processor.
"""


def lab(program: Program, _arguments: list[str]) -> dict[str, object]:
    """Record the lab with the start page's button."""
    click(program.workbench.start_page.choices["lab"])
    until("the lab is shown", lambda: program.desk.session.snapshot is not None)
    assert program.desk.scope.scope.follow
    until("it is recorded", lambda: "Recording" in program.window.top.live.text())
    from_finding_to_mark(program)
    curve_to_the_next_chart(program)
    return view(program)


def vcenter(program: Program, arguments: list[str]) -> dict[str, object]:
    """Connect to a vCenter with the connect dialog."""
    place, user, password, thumbprint = arguments
    click(program.workbench.start_page.choices["connect"])
    dialog = one_visible(program.window, ConnectDialog)
    row = dialog.rows[0]
    for line, text in ((row.host, place), (row.user, user), (row.password, password)):
        write_into(line, text)
    press("Return")
    trust = one_visible(program.window, TrustDialog)
    figures = "".join(label.text() for label in trust.shown.findChildren(QLabel))
    assert thumbprint.replace(":", "") in figures.replace("\n", "").replace(":", "")
    click(trust.yes)
    until("the vCenter is shown", lambda: program.desk.session.snapshot is not None)
    until("it is on time", lambda: any("on time" in one.text for one in program.window.status._entries))
    return from_finding_to_mark(program)


def capture(program: Program, arguments: list[str]) -> dict[str, object]:
    """Drag a capture from another program into the window."""
    window = program.window
    command = [sys.executable, "-m", "tests.e2e.file_source", arguments[0], "20", "780"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as files:
        assert files.stdout is not None
        files.stdout.readline()
        let_run(1.0)
        drag(QPoint(100, 820), window.mapToGlobal(window.rect().center()))
        files.terminate()
    until("the capture is shown", lambda: program.desk.session.snapshot is not None)
    until("it is imported", lambda: not program.workbench.importing.is_running)
    return from_finding_to_mark(program)


def again(program: Program, _arguments: list[str]) -> dict[str, object]:
    """Open the last session from the start page."""
    page = program.workbench.start_page
    recent = page.recent
    until("the session is listed", lambda: recent.model().rowCount() == 1)
    click_in(recent.viewport(), recent.visualRect(recent.model().index(0, 0)))
    until("the session is shown", lambda: program.desk.session.snapshot is not None)
    until("its charts are drawn", lambda: has_curves(program))
    return view(program)


def from_finding_to_mark(program: Program) -> dict[str, object]:
    """Wait for a finding, show its evidence, drop a mark, and stop the recording if there is one."""
    window, desk = program.window, program.desk
    until("a problem", lambda: any(one.severity != "info" for one in desk.findings.findings))
    panel = one_visible(window, FindingsView)
    until("its evidence", lambda: unfolded(program, panel))
    show_me(program, panel)
    scope = desk.scope.scope
    finding = desk.findings.findings[0]
    assert scope.window is not None
    assert not scope.follow
    assert scope.entities
    charts = one_visible(window, ChartsPage)
    until("the charts' window", lambda: charts.stack.cards[0].plot.window_shown[0] == scope.window.start)  # type: ignore[union-attr]
    until(f"the limits of {finding}", lambda: any(card.spec.bands for card in charts.stack.cards))
    press("m")
    note = one_visible(window, MarkNote)
    until("the note has the keyboard", note.line.hasFocus)
    type_(NOTE)
    press("Return")
    until("the mark", lambda: [mark.text for mark in desk.session.snapshot.marks] == [NOTE])  # type: ignore[union-attr]
    stop_recording(program)
    return view(program)


def curve_to_the_next_chart(program: Program) -> None:
    """Drag a name from the first chart's legend onto the next chart that is drawn and lacks that curve."""
    cards = one_visible(program.window, ChartsPage).stack.cards
    before = [chart.series for chart in program.desk.charts.charts]
    first = next(number for number, card in enumerate(cards) if not card.is_folded)
    entry = next(one for one in cards[first].head.legend.entries if one.isVisible())
    others = zip(cards[first + 1 :], before[first + 1 :], strict=True)
    plot = next(card.plot for card, ids in others if not card.is_folded and before[first][0] not in ids)
    drag_within(entry.mapToGlobal(entry.rect().center()), plot.mapToGlobal(plot.rect().center()))
    until("the curve", lambda: [chart.series for chart in program.desk.charts.charts] != before)
    moved = before[first][0]
    assert sum(moved in chart.series for chart in program.desk.charts.charts) == 1 + sum(
        moved in series for series in before
    )
    assert program.desk.charts.choice.pinned


def show_me(program: Program, panel: FindingsView) -> None:
    """Press "Show me"; the click is repeated if the card was rebuilt under the mouse."""
    window = program.window
    for _ in range(12):  # findings that arrive one after another rebuild it at once each time
        with suppress(RuntimeError, IndexError, WaitTimeoutError):
            until("a way to the evidence", lambda: unfolded(program, panel), 60)
            click(shows(program)[0])
            until("the evidence", lambda: visible(window, ChartsPage) and has_curves(program), 60)
            return
    raise WaitTimeoutError("the evidence")


def unfolded(program: Program, panel: FindingsView) -> bool:
    """Return True if a button "Show me" is visible; otherwise unfold a card or scroll to one."""
    if shows(program):
        return True
    if not any(card.is_open for card in panel.cards):
        click(panel.cards[0], QPoint(60, 12))
    else:
        wheel_down(panel)
    return False


def shows(program: Program) -> list[QPushButton]:
    """Return the visible buttons "Show me"."""
    found = visible(program.window, QPushButton)
    return [one for one in found if one.text() == "Show me" and not one.visibleRegion().isEmpty()]


def has_curves(program: Program) -> bool:
    """Return True if a chart shows samples."""
    panel = program.window.findChild(ChartsPage)
    assert panel is not None
    return any(one.curve.y.size > 1 for card in panel.stack.cards for one in card.curves)


def view(program: Program) -> dict[str, object]:
    """Return what the window shows, as plain values."""
    page, snapshot = program.window.pages.currentWidget(), program.desk.session.snapshot
    assert snapshot is not None
    return {
        "session": str(snapshot.path),
        "scope": msgspec.to_builtins(program.desk.scope.scope),
        "charts": [chart.title for chart in program.desk.charts.charts],
        "page": page.objectName(),
        "scope_text": program.window.top.scope.text,
        "marks": [mark.text for mark in snapshot.marks],
        "states": sorted({source.state for source in snapshot.sources}),
    }


SCENES: dict[str, Callable[[Program, list[str]], dict[str, object]]] = {
    "lab": lab,
    "vcenter": vcenter,
    "capture": capture,
    "again": again,
    "moment": moment,
    "charts": charts,
    "guided test": guided_test,
    "compare": compare_in_the_lab,
    "troubleshoot": troubleshoot_the_lab,
    "fix in the lab": fix_in_the_lab,
    "verify": verify_a_fix,
}


def main() -> int:
    """Run one scene, then close the window with the keyboard."""
    name, home, *arguments = sys.argv[1:]
    application = QApplication(sys.argv[:1])
    program = build(application, Path(home) / "settings")
    program.desk.settings.set("record.folder", str(Path(home) / "recordings"))
    program.desk.settings.set("lab.speed", 60)
    if name in FEWER_COUNTERS:
        program.desk.settings.set("lab.fields", "diagnosis")
    program.window.show()
    program.window.activateWindow()
    until("the window", lambda: program.window.windowHandle().isExposed() and program.window.isActiveWindow())
    let_run(0.5)
    try:
        seen = SCENES[name](program, arguments)
    except BaseException:
        QGuiApplication.primaryScreen().grabWindow(0).save(str(Path(home) / f"{name}-failed.png"))
        raise
    let_run(0.5)
    program.window.grab().save(str(Path(home) / f"{name}.png"))
    press("alt+F4")
    until("the window is closed", lambda: not program.window.isVisible())
    print(json.dumps(seen), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
