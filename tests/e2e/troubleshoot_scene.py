"""From a symptom to its cause, and a fix that the lab makes is verified, with real mouse and keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtWidgets import QApplication, QMenu

from app.gui.application import Program
from sessions.store import SessionReader
from tests.diagnosis.replaying import replay
from tests.e2e.guided_test_scene import picture
from tests.e2e.hands import click, click_in, let_run, one_visible, press, type_, until
from tests.e2e.recording_end import stop_recording
from widgets.inventory import InventoryView
from wizards.pages.troubleshoot_page import TroubleshootPage


def _open_page(program: Program) -> TroubleshootPage:
    """A click on the tab."""
    tabs = program.window.pages.tabBar()
    number = next(n for n in range(tabs.count()) if tabs.accessibleTabName(n) == "Troubleshoot")
    click_in(tabs, tabs.tabRect(number))
    page = one_visible(program.window, TroubleshootPage)
    until("it is looked into", lambda: program.desk.troubleshooting.state == "ready" and page.detail.problem)
    return page


def troubleshoot_the_lab(program: Program, _arguments: list[str]) -> dict[str, object]:
    """Try the lab, Troubleshoot: the cause of the worst problem. Then a host, and what was noticed."""
    window, desk = program.window, program.desk
    desk.settings.set("lab.speed", 20)  # it goes on for two minutes: on a busy machine it was over too soon
    click(program.workbench.start_page.choices["lab"])
    # In its first seconds all that is found is that there are too few samples, which has no steps.
    until("a problem", lambda: any(one.problem != "data.insufficient" for one in desk.findings.findings))
    page, model = _open_page(program), desk.troubleshooting
    picture(program, "troubleshoot")
    until("it says to when", lambda: model.state == "ready" and page.bar.judged.text())  # it may look again
    seen: dict[str, object] = {
        "title": page.detail.title.text(),
        "check": str(model.run.check(page.detail.problem)) if model.run else "",
        "steps": len(model.run.check(page.detail.problem).steps) if model.run else 0,  # type: ignore[union-attr]
        "judged": page.bar.judged.text(),
    }
    tree = one_visible(window, InventoryView).tree
    host = tree.model().index(0, 0, tree.model().index(0, 0))
    click_in(tree, tree.visualRect(host))
    until("the host", lambda: model.run is not None and model.run.symptom.entity.kind == "host")
    seen["host"] = page.bar.buttons["entity"].text() == str(host.data())
    click(page.bar.buttons["noticed"])
    until("the menu", lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    press("Down")
    press("Down")
    press("Return")
    until("another symptom", lambda: model.question is not None and model.question.noticed != "slow")
    until("it is looked into", lambda: model.state == "ready")
    until("the run is kept", lambda: model.keeping.number)
    seen["kept"] = page.detail.kept.text()
    stop_recording(program)
    return seen


def verify_a_fix(program: Program, arguments: list[str]) -> dict[str, object]:
    """A recording goes on while the lab raises a CPU limit: waiting, too early, fixed."""
    recorded, live = Path(arguments[0]), Path(arguments[0]).with_name("live.hscope")
    with SessionReader.open(recorded) as whole:
        growing = replay(whole, live, every=24)
        _feed(growing, 4)
        seen = _while_it_grows(program, live, growing)
        growing.close()
    return seen


def _feed(growing: Iterator[int], parts: int) -> None:
    """Record some more minutes, two a part."""
    for _ in range(parts):
        next(growing, None)


def _while_it_grows(program: Program, live: Path, growing: Iterator[int]) -> dict[str, object]:
    desk, model = program.desk, program.desk.troubleshooting
    program.workbench.open_paths([live])
    until("a problem", lambda: any(one.problem == "cpu.limit" for one in desk.findings.findings))
    page = _open_page(program)
    until("its cause", lambda: page.detail.problem == "cpu.limit")
    seen: dict[str, object] = {"cause": page.detail.title.text()}
    click_in(page.list.viewport(), page.list.visualRect(page.list.currentIndex()))
    press("n")
    until("the note", page.detail.note.hasFocus)
    type_("order desk waits")
    press("Return")
    press("Escape")
    card = page.detail.verify
    click(card.done)
    until("it waits", lambda: model.fix.found is not None)
    seen["first"] = model.fix.found.state if model.fix.found else ""
    picture(program, "verify-waiting")
    _feed(growing, 3)
    until("the change is seen", lambda: model.fix.found is not None and model.fix.found.state == "too early")
    seen["then"] = card.title.text()
    picture(program, "verify-early")
    _feed(growing, 20)
    until("it is fixed", lambda: model.fix.found is not None and model.fix.found.state == "done")
    seen["title"] = card.title.text()
    picture(program, "verify-fixed")
    page.list.setFocus()
    let_run(0.3)
    click(card.all)
    until("both times", lambda: desk.comparison.state == "ready")
    seen["compared"] = desk.comparison.pair.why if desk.comparison.pair is not None else ""
    return seen
