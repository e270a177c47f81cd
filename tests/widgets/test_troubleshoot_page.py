"""The Troubleshoot page on a run that is given to it: rows, detail, keys, and what became of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QLabel, QToolButton
from pytestqt.qtbot import QtBot

from resources.guided_flow import load_flow
from sessions.clock import clock_named
from sessions.findings import CauseVerdict
from sessions.model import EntityRef
from sessions.times import TimeRange
from sessions.troubleshooting import (
    AwaitedSamples,
    CheckedAgain,
    CheckResult,
    Note,
    RowResult,
    RuleLine,
    SeenChange,
    Step,
    Symptom,
    TroubleshootingRun,
    Verification,
    VerifiedNumber,
)
from widgets.theme import DARK, Theme
from wizards.flows.troubleshooting.detail import next_words
from wizards.flows.troubleshooting.page_rows import ListHead, ListRow, found_only, lines_of, pending_lines
from wizards.pages.chart_frame import HEAD, paint_title
from wizards.pages.troubleshoot_bar import SymptomWords
from wizards.pages.troubleshoot_page import TroubleshootPage

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
VM = EntityRef("vm", "vm-1")
BEFORE, AFTER = TimeRange(600_000, 1_200_000), TimeRange(1_260_000, 1_900_000)
READY = CheckResult(
    "cpu.limit", "Held back by a CPU limit", "ready", "probable", "problem",
    "db-prod was held back for 31 % of the time.", "Does a limit keep a VM from CPU time?",
    entity=VM, name="db-prod", severity="critical", lasted_s=600.0, windows=(BEFORE,),
    rule=(
        RuleLine("Held back, mean", 31.2, 0.1, "%", holds=True, source="EPP: above zero"),
        RuleLine("… for at least", 600.0, 60.0, "s", holds=True),
        RuleLine("CPU run, mean", 39.8, None, "%", holds=None),
    ),
    causes=(
        CauseVerdict("vm_limit", "The VM has a limit of its own", "likely", "Its limit is 2 GHz."),
        CauseVerdict("pool_limit", "Its pool has a limit", "ruled out", "It is in no pool."),
        CauseVerdict("affinity", "It may run on few cores", "unknown", "vCenter would tell."),
    ),
    steps=(
        Step("Set its CPU limit to unlimited.", "vm_limit", client="VM › Edit Settings › CPU",
             powercli="Get-VM 'db-prod'", esxcli="esxcli vm process list"),
    ),
)  # fmt: skip
TOOLS = CheckResult(
    "guest.tools_not_running", "VMware Tools do not run", "tools", "first", "insufficient data",
    "No source tells.", "Do Tools run?", get="Connect the vCenter.",
)  # fmt: skip
ROWS = (
    RowResult("tools", "VMware Tools", "first", "", "insufficient data", "No source tells",
              "guest.tools_not_running", ("guest.tools_not_running",)),
    RowResult("ready", "High ready time", "probable", "", "problem", "31.2 % of 0.10 %",
              "cpu.limit", ("cpu.limit",)),
)  # fmt: skip
RUN = TroubleshootingRun(
    1, 1_200_000, Symptom(VM, "db-prod", "slow", BEFORE), 1_200_000, ROWS, (TOOLS, READY)
)
DONE = Verification(
    at=1_900_000, state="done", before=BEFORE, after=AFTER, outcome="fixed", confidence="high",
    because="It is gone.", load="The load was the same.", same_load=True, has_s=640.0, needs_s=600.0,
    changes=(SeenChange(1_200_000, "CPU limit: 2 GHz → unlimited", VM, "db-prod", by="mara"),),
    checks=(CheckedAgain("cpu.limit", READY.title, "ready", "problem", "not found", "fixed", "It is gone.",
                         value_before=31.2, value_after=0.0, limit=0.1, unit="%"),),
    checked=(TOOLS, replace(READY, verdict="not found", because="It was not held back.", lasted_s=0.0)),
    numbers=(
        VerifiedNumber("held back", "db-prod", "%", 31.2, 0.0, -31.2, (-32.0, -30.0), "better"),
        VerifiedNumber("packets", "db-prod", "/s", 4180.0, 4230.0, 50.0, (-90.0, 190.0), "~"),
    ),
)  # fmt: skip


@pytest.fixture
def page(qtbot: QtBot, qapp: QApplication) -> TroubleshootPage:
    view = TroubleshootPage(Theme(qapp, "dark"), lambda: clock_named("utc"))
    qtbot.addWidget(view)
    view.resize(1100, 700)
    view.show()
    return view


def plain(text: str) -> str:
    """A text with ordinary spaces."""
    return " ".join(text.split())


def shown(page: TroubleshootPage) -> str:
    """All words of the detail."""
    QApplication.processEvents()
    labels = page.detail.findChildren(QLabel)
    return plain(" | ".join(one.text() for one in labels if one.isVisibleTo(page) and one.text()))


def told(page: TroubleshootPage) -> list[str]:
    return [plain(str(page.list.checks.index(row).data())) for row in range(page.list.checks.rowCount())]


def show_run(page: TroubleshootPage, again: Verification | None = None) -> None:
    page.show_run(RUN, lines_of(RUN, load_flow(), again), {}, again)
    if again is not None:
        page.detail.verify.show_found(again)


def test_rows_are_hollow_until_they_are_judged(page: TroubleshootPage) -> None:
    lines = pending_lines(load_flow())
    page.show_checking(lines, "Checking…")
    rows = [one for one in lines if isinstance(one, ListRow)]
    assert {one.id for one in rows} == {one.id for one in load_flow().rows}
    assert {one.state for one in rows} == {"none"}
    assert "High ready time: not judged yet" in told(page)


def test_the_page_opens_on_the_worst_problem(page: TroubleshootPage) -> None:
    QAbstractItemModelTester(page.list.checks)
    show_run(page)
    assert told(page) == [
        "First, none of 1 found",
        "VMware Tools: insufficient data. No source tells",
        "Probably hurts, 1 of 1 found",
        "High ready time: problem. 31.2 % of 0.10 %",
    ]
    assert page.detail.title.text() == "Held back by a CPU limit"
    words = shown(page)
    for part in ("likely", "ruled out", "unknown", "Set its CPU limit to unlimited.", "VM › Edit Settings"):
        assert part in words
    assert "31.2 %" in plain(page.detail.rule.text())
    assert "≥ 0.10 %" in plain(page.detail.rule.text())
    limit = next(one for one in page.detail.findChildren(QLabel) if one.text() == "Limit: EPP: above zero")
    assert "Duncan Epping" in limit.toolTip()


def test_a_page_that_was_opened_too_early_goes_to_what_is_found_later(
    page: TroubleshootPage, qtbot: QtBot
) -> None:
    calm = replace(READY, verdict="not found", severity=None, windows=(), rule=(), causes=(), steps=())
    early = replace(RUN, rows=(ROWS[0], replace(ROWS[1], verdict="not found")), checks=(TOOLS, calm))
    page.show_checking(pending_lines(load_flow()), "Checking…")
    page.show_run(early, lines_of(early, load_flow(), None), {}, None)
    assert page.list.current is not None
    assert not page.list.current.is_found
    show_run(page)
    assert page.list.current.id == "ready"

    page.forget()
    page.show_run(early, lines_of(early, load_flow(), None), {}, None)
    page.list.setFocus()
    qtbot.keyClick(page.list, Qt.Key.Key_Home)
    chosen = page.list.current.id
    show_run(page)
    assert page.list.current.id == chosen, "what somebody reads stays"


def test_what_an_earlier_run_could_not_judge_is_not_said_of_the_next(page: TroubleshootPage) -> None:
    show_run(page)
    assert page.note.text()
    page.forget()
    page.show_checking(pending_lines(load_flow()), "Checking…")
    assert not page.note.text()


def test_keys_choose_rows_and_show_what_was_found(page: TroubleshootPage, qtbot: QtBot) -> None:
    show_run(page)
    page.list.setFocus()
    qtbot.keyClick(page.list, Qt.Key.Key_Up)
    assert page.detail.title.text() == "VMware Tools do not run"
    assert "Connect the vCenter." in shown(page)
    qtbot.keyClick(page.list, Qt.Key.Key_F)
    assert told(page) == [
        "Probably hurts, 1 of 1 found",
        "High ready time: problem. 31.2 % of 0.10 %",
    ]
    with qtbot.waitSignal(page.verify_wanted):
        qtbot.keyClick(page.list, Qt.Key.Key_V)
    with qtbot.waitSignal(page.again):
        qtbot.keyClick(page.list, Qt.Key.Key_R)
    with qtbot.waitSignal(page.list.opened):
        qtbot.keyClick(page.list, Qt.Key.Key_Return)
    qtbot.keyClick(page.list, Qt.Key.Key_N)
    assert page.detail.note.hasFocus()
    qtbot.waitUntil(lambda: not page.detail.note.visibleRegion().isEmpty())  # it stands below everything
    qtbot.keyClicks(page.detail.note, "frvn")
    with qtbot.waitSignal(page.detail.noted) as noted:
        qtbot.keyClick(page.detail.note, Qt.Key.Key_Return)
    assert noted.args == ["frvn"]
    assert page.found.isChecked()


def test_links_of_the_rule_lead_to_samples_and_limits(page: TroubleshootPage, qtbot: QtBot) -> None:
    show_run(page)
    rule = page.detail.rule
    rule.setFocus()
    with qtbot.waitSignal(page.detail.measured):
        qtbot.keyClick(rule, Qt.Key.Key_Return)
    qtbot.keyClick(rule, Qt.Key.Key_Right)
    with qtbot.waitSignal(page.detail.limits_wanted):
        qtbot.keyClick(rule, Qt.Key.Key_Return)


def test_what_became_of_it_stands_beside_the_rule(page: TroubleshootPage) -> None:
    show_run(page, DONE)
    assert told(page)[-1] == "High ready time: not found. was 31.2 %, now 0 %"
    card = page.detail.verify
    assert card.title.text() == "Fixed, confidence high"
    assert "It is gone. The load was the same." in card.sentence.text()
    words = shown(page)
    for part in ("31.2 %", "-31.2 points", "~ no real difference", "by mara"):
        assert part in words.replace("−", "-")
    assert not card.all.isHidden()
    assert card.made.isHidden()


def test_a_row_names_the_check_that_its_number_is_of_and_says_what_is_new() -> None:
    """A row of two checks told of the one that is left, beside a card that told of the other."""
    rows = (replace(ROWS[1], problems=("cpu.limit", "cpu.ready_high")), ROWS[0])
    left = replace(READY, problem="cpu.ready_high", title="High ready time of many", severity="warning")
    again = replace(
        DONE,
        checks=(
            *DONE.checks,
            CheckedAgain("cpu.ready_high", left.title, "ready", "suspected", "problem", "unchanged",
                         "Still there.", value_before=5.18, value_after=5.23, limit=5.0, unit="%"),
            CheckedAgain("guest.tools_not_running", TOOLS.title, "tools", "not found", "problem", "new",
                         "It stopped."),
        ),
        checked=(DONE.checked[1], left, replace(TOOLS, verdict="problem", name="db-prod")),
    )  # fmt: skip
    lines = lines_of(replace(RUN, rows=rows), load_flow(), again)
    said = {one.id: plain(one.measured) for one in lines if isinstance(one, ListRow)}
    assert said["ready"] == "High ready time of many was 5.18 %, now 5.23 %"
    assert said["tools"].startswith("new: db-prod")


def first_ink(label: QLabel) -> int:
    """The first row of a label in which something is painted."""
    picture = label.grab().toImage()
    ground = picture.pixel(picture.width() - 1, 0)
    rows = range(picture.height())
    return next(y for y in rows if any(picture.pixel(x, y) != ground for x in range(picture.width())))


def test_a_note_stands_on_the_line_of_its_time(page: TroubleshootPage) -> None:
    show_run(page)
    page.detail.show_notes([Note(1_200_000, "Saving takes 20 s.", "mara")], "")
    QApplication.processEvents()
    labels = {plain(one.text()): one for one in page.detail.findChildren(QLabel)}
    when, text = labels["00:20 mara"], labels["Saving takes 20 s."]
    tops = [one.mapTo(page, QPoint(0, first_ink(one))).y() for one in (when, text)]
    assert abs(tops[0] - tops[1]) <= 2
    remover = page.detail.findChild(QToolButton, "remove-note")
    assert remover is not None
    cross = remover.mapTo(page, remover.rect().center()).y()
    assert 0 < cross - tops[1] < 12


def test_who_is_not_helped_is_told_how_to_go_on(page: TroubleshootPage) -> None:
    """The row and the card tell the same numbers, and what comes next stands beside the verdict."""
    number = VerifiedNumber("held back", "db-prod", "%", 31.2, 31.1, -0.1, (-1.0, 1.0), "~")
    again = replace(
        DONE, outcome="unchanged", checked=(TOOLS, READY),
        checks=(replace(DONE.checks[0], after="problem", outcome="unchanged", value_before=44.0,
                        value_after=38.0, number=number),),
    )  # fmt: skip
    show_run(page, again)
    assert told(page)[-1] == "High ready time: problem. was 31.2 %, now 31.1 %"
    assert page.detail.verify.sentence.text().splitlines()[-1] == (
        "Next: see that the change took effect, then the steps of “Held back by a CPU limit”; "
        "none of them was seen to be done."
    )
    one, *_ = READY.steps
    steps = replace(one, seen="CPU limit: 2 GHz → 3 GHz", seen_at=1_200_000), replace(one, text="Use shares.")
    done = replace(again, checked=(replace(READY, steps=steps),))
    assert next_words(done) == "Next: step 2 of “Held back by a CPU limit”; step 1 was done."
    worse = replace(done, outcome="worse", checked=(replace(READY, steps=steps[:1]),))
    assert next_words(worse).startswith("Next: take back what was changed if it can be the reason, then look")
    assert next_words(DONE) == ""


def test_waiting_and_too_early_say_what_they_wait_for(page: TroubleshootPage) -> None:
    waiting = replace(
        DONE, state="waiting for the change", outcome=None, confidence="none", changes=(), numbers=(),
        because="No change was seen yet.", after=None, has_s=0.0, checks=(), checked=(),
    )  # fmt: skip
    show_run(page, waiting)
    card = page.detail.verify
    assert (card.title.text(), card.made.isHidden(), card.all.isHidden()) == (
        "Waiting for the change", False, True,
    )  # fmt: skip
    early = replace(waiting, state="too early", after=AFTER, has_s=240.0)
    card.show_found(early)
    assert plain(card.title.text()) == "Too early: 4 min of 10 min"
    assert card.bar.value() == 400
    samples = AwaitedSamples("CPU ready", "db-prod", "esx03", 4, 12, 5.0, AFTER.end, AFTER.start)
    card.show_found(
        replace(early, samples=samples, changes=DONE.changes, because="Judged when there are 12.")
    )
    assert plain(card.title.text()) == "Watching: 4 of 12 samples"
    assert card.sentence.text().startswith("Judged when there are 12. That is at about ")
    assert (card.bar.value(), card.stop.isHidden()) == (333, False)
    late = replace(samples, is_late=True)
    card.show_found(replace(early, samples=late, changes=DONE.changes, because="Judged when there are 12."))
    assert "esx03 has given none since " in card.sentence.text()
    card.show_found(DONE)
    assert card.stop.isHidden()


def test_found_only_leaves_out_empty_groups() -> None:
    lines = found_only(lines_of(RUN, load_flow()))
    assert [type(one) for one in lines] == [ListHead, ListRow]
    assert found_only(()) == ()


@pytest.mark.parametrize("height", [131, 140, 149, 700])
def test_no_row_is_cut_at_the_end_of_the_list(page: TroubleshootPage, height: int) -> None:
    page.show_run(RUN, pending_lines(load_flow()), {}, None)
    page.list.setFixedHeight(height)
    QApplication.processEvents()
    bottom = page.list.viewport().height()
    below = page.list.indexAt(QPoint(40, bottom - 1))
    assert not below.isValid() or page.list.visualRect(below).bottom() == bottom - 1


def test_icons_of_the_sentence_keep_away_from_its_words(page: TroubleshootPage) -> None:
    """They are drawn in the middle of a wider place: Qt itself leaves four pixels."""
    for button in (*page.bar.buttons.values(), page.bar.renew):
        assert button.iconSize().width() >= button.iconSize().height() + 6


def test_luns_that_differ_at_their_end_are_told_apart(page: TroubleshootPage) -> None:
    """The symptom and the chart said "naa.600508b400060386000…" of every LUN of an array."""

    def drawn(device: str) -> bytes:
        picture = QImage(200, HEAD, QImage.Format.Format_RGB32)
        picture.fill(0)
        painter = QPainter(picture)
        paint_title(painter, page.font(), DARK, device, "", 150.0)
        painter.end()
        return bytes(picture.constBits())

    assert drawn("naa.600508b4000603860001287dbba3") != drawn("naa.600508b4000603860001287dbba4")
    lun = "naa.600508b4000603860001287dbba3"
    page.bar.show_words(SymptomWords("vm", lun, "slow", "14:09", "now", "", ""))
    assert page.bar.buttons["entity"].text() == "naa.600508b4…01287dbba3"
