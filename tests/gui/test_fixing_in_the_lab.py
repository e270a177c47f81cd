"""A lab that is recorded is the admin's datacenter: a click beside a step is the fix, and it is verified."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.palette import matches
from resources.lab_acts import load_lab_acts
from sessions.store import SessionReader
from tests.gui.windows import child_of, wait
from wizards.pages.troubleshoot_page import TroubleshootPage


def practise(
    program: Program, qtbot: QtBot, title: str, enough: Callable[[], object], *, as_shipped: bool = False
) -> TroubleshootPage:
    """Record a case that the palette offers, and look into its worst problem; with the settings that the
    program comes with, or with quicker ones.
    """
    desk = program.desk
    if not as_shipped:
        desk.settings.set("lab.speed", 300)
        desk.settings.set("lab.fields", "diagnosis")
    matches(f"lab: {title}", program.workbench.lab_hands.cases())[0].run()
    wait(qtbot, lambda: desk.session.whole is not None and enough())
    program.window.show_panel("troubleshoot")
    wait(qtbot, lambda: desk.troubleshooting.state == "ready")
    return child_of(program.window, TroubleshootPage)


def test_the_start_page_offers_the_cases(live: Program, qtbot: QtBot) -> None:
    page, desk = live.workbench.start_page, live.desk
    desk.settings.set("lab.speed", 300)
    desk.settings.set("lab.fields", "diagnosis")
    page._cases.aboutToShow.emit()
    assert [one.text() for one in page._cases.actions()] == [one.title for one in load_lab_acts().cases]
    first = load_lab_acts().cases[0]
    page._cases.actions()[0].trigger()
    wait(qtbot, lambda: desk.session.whole is not None)
    whole = desk.session.whole
    assert whole is not None
    assert f"Lab {first.scenario}" in whole.path.name
    end(live, qtbot)


def offered(page: TroubleshootPage) -> list[QPushButton]:
    return [
        one
        for one in page.detail.findChildren(QPushButton)
        if one.isVisible() and one.text().startswith("In the lab: ")
    ]


def end(program: Program, qtbot: QtBot) -> None:
    program.workbench.recordings.stop()
    wait(qtbot, lambda: program.workbench.recordings.process is None)


def test_a_limit_is_raised_in_the_lab_and_it_is_fixed(live: Program, qtbot: QtBot) -> None:
    desk, model = live.desk, live.desk.troubleshooting

    def is_found() -> bool:
        whole = desk.session.whole
        return (
            whole is not None and whole.span is not None and whole.span.seconds > 700
            and any(one.problem == "cpu.limit" for one in desk.findings.findings)
        )  # fmt: skip

    page = practise(live, qtbot, "a CPU limit", is_found)
    (button,) = offered(page)
    assert button.text() == "In the lab: set its CPU limit to Unlimited"
    assert model.run is not None
    name = model.run.symptom.name
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def told() -> list[str]:
        texts = [one.text() for one in page.detail.findChildren(QLabel) if one.isVisible()]
        return [one for one in texts if one.endswith(f": {name}: CPU limit set to Unlimited")]

    wait(qtbot, told)
    assert offered(page) == [], "once is enough"
    wait(qtbot, lambda: not desk.jobs.busy("troubleshoot.look"))
    model._follow()
    assert not desk.jobs.busy("troubleshoot.look"), "what comes after the act is no symptom"
    qtbot.mouseClick(page.detail.verify.done, Qt.MouseButton.LeftButton)
    wait(qtbot, lambda: model.fix.found is not None)
    live.window.show_panel("charts")
    wait(qtbot, lambda: model.fix.found is not None and model.fix.found.state == "done")  # nobody looks
    live.window.show_panel("troubleshoot")
    assert model.fix.found is not None
    assert model.fix.found.outcome == "fixed"
    assert page.detail.verify.title.text().startswith("Fixed, confidence ")
    path = desk.session.path
    assert path is not None

    def outcomes() -> list[str | None]:
        with SessionReader.open(path) as reader:
            return [one.outcome for run in reader.troubleshooting() for one in run.verifications]

    wait(qtbot, lambda: outcomes() == ["fixed"])
    assert desk.session.whole is not None
    assert desk.session.whole.recording, "it is kept while the recording goes on"
    end(live, qtbot)
    assert outcomes() == ["fixed"]
    assert not path.with_name(path.name + "-runs").exists()


def test_what_no_source_sees_is_told_by_the_lab(live: Program, qtbot: QtBot) -> None:
    desk, model = live.desk, live.desk.troubleshooting
    page = practise(
        live, qtbot, "bursts that",
        lambda: any(one.problem == "cpu.ready_high" for one in desk.findings.findings),
    )  # fmt: skip
    wait(qtbot, lambda: offered(page))
    qtbot.mouseClick(offered(page)[0], Qt.MouseButton.LeftButton)
    wait(qtbot, lambda: not offered(page))
    model.fix.verify()
    wait(qtbot, lambda: model.fix.found is not None)
    assert model.fix.found is not None
    (change,) = (one for one in model.fix.found.changes if one.told)
    assert change.what == "Stopped the job that came back in all guests"
    card = page.detail.verify
    assert not card.made.isVisible(), "it was told already"
    assert card.title.text().startswith("Watching: ")
    qtbot.mouseClick(card.stop, Qt.MouseButton.LeftButton)
    assert not model.fix.waits
    assert (card.done.text(), card.stop.isVisible()) == ("Done, verify", False)
    qtbot.mouseClick(card.done, Qt.MouseButton.LeftButton)
    wait(qtbot, lambda: model.fix.found is not None)
    assert [one.what for one in model.fix.found.changes if one.told] == [change.what], "it is still known"
    assert card.title.text().startswith(("Watching: ", "Fixed")), "the lab goes on meanwhile"
    end(live, qtbot)
    wait(qtbot, lambda: not model.lab.is_there)


def test_with_the_settings_as_shipped(live: Program, qtbot: QtBot) -> None:
    """What the lab refuses is said; what it can do is done by a click."""
    desk, model = live.desk, live.desk.troubleshooting

    def is_found() -> bool:
        return any(one.problem == "cpu.limit" for one in desk.findings.findings)

    page = practise(live, qtbot, "a CPU limit", is_found, as_shipped=True)
    with qtbot.waitSignal(model.lab.refused, timeout=300_000):
        model.lab.act("vm.cpu_limit", "vm", "nobody")
    assert any("The lab has no vm nobody" in one.text for one in live.window.messages.past)
    wait(qtbot, lambda: offered(page))
    with qtbot.waitSignal(model.lab.acted, timeout=300_000):
        qtbot.mouseClick(offered(page)[0], Qt.MouseButton.LeftButton)
    assert offered(page) == []
    end(live, qtbot)


def test_each_case_is_in_the_palette(live: Program) -> None:
    titles = [one.text for one in live.workbench.lab_hands.cases()]
    assert titles == [f"Lab: {one.title}" for one in load_lab_acts().cases]
