"""The Compare page in the whole window: from the likeliest pair to a row's charts, by mouse and by keys."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.comparison_choosing import ComparisonChoosing
from app.gui.helping import docs_folder, topic_of
from app.gui.navigation import palette_entries
from app.gui.window_dialog import WindowDialog
from sessions.model import SourceSpec
from sessions.store import SessionWriter
from sessions.times import TimeRange
from tests.gui.one_window import opened, press, program, session, snapshot_of
from tests.gui.windows import child_of, wait
from viewmodels.comparison_choices import ChosenSide, Known, PairOffer, pair_offers
from wizards.pages.compare_page import ComparePage
from wizards.pages.compare_rail import CompareRail

__all__ = ["opened", "program", "session"]
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def compared(opened: Program, qtbot: QtBot) -> ComparePage:
    """The page with the likeliest comparison of a quarter of an hour of the demo."""
    opened.window.show_panel("compare")
    wait(qtbot, lambda: opened.desk.comparison.state == "ready")
    view = child_of(opened.window, ComparePage)
    wait(qtbot, lambda: bool(view.charts.charts[0].chart))
    return view


def minutes(opened: Program, first: float, last: float) -> TimeRange:
    span = snapshot_of(opened).span
    assert span is not None
    return TimeRange(span.start + round(first * 60_000), span.start + round(last * 60_000) - 1)


def texts(page: ComparePage, column: str) -> list[str]:
    return [str(getattr(one, column)) for one in page.table.changes.rows]


def test_one_click_compares_normal_against_worst(compared: ComparePage, opened: Program) -> None:
    pair = opened.desk.comparison.pair
    assert pair is not None
    assert pair.why.startswith("normal against worst: ")
    assert pair.a.window.intersect(pair.b.window) is None
    assert compared.head.line.text().endswith(("better.", "got worse.", "undecided."))
    only_b = compared.head.problems.text()
    assert only_b.startswith("Problems found in B only: ")
    assert pair.why.removeprefix("normal against worst: ").partition(", ")[0] in only_b
    assert compared.head.problems.isVisible()
    assert opened.window.dock("comparing").isVisible()
    assert not opened.window.dock("inventory").isVisible()
    assert set(texts(compared, "judged")) <= {"better", "worse", "to know"}
    ranks = [one.rank for one in compared.table.changes.rows]
    assert ranks == sorted(ranks), "ranked by what matters"


def test_the_inventory_comes_back_beside_it_and_on_the_other_pages(
    compared: ComparePage, opened: Program
) -> None:
    opened.window.commands["panel.inventory"].trigger()
    assert opened.window.dock("inventory").isVisible()
    assert opened.window.dock("comparing").isVisible()
    opened.window.show_panel("charts")
    assert opened.window.dock("inventory").isVisible()
    assert not opened.window.dock("comparing").isVisible()


def test_x_swaps_and_what_was_higher_is_lower(compared: ComparePage, opened: Program, qtbot: QtBot) -> None:
    model = opened.desk.comparison
    before, found = model.pair, model.found
    assert before is not None
    assert found is not None
    counts = found.counts
    compared.table.setFocus()
    press(qtbot, Qt.Key.Key_X)
    wait(qtbot, lambda: model.state == "ready")
    assert model.pair is not None
    assert (model.pair.a, model.pair.b) == (before.b, before.a)
    assert model.found is not None
    assert model.found.counts["lower"] == pytest.approx(counts["higher"], abs=5)


def test_a_row_chooses_the_charts_and_p_pins_one(
    compared: ComparePage, opened: Program, qtbot: QtBot
) -> None:
    rows = compared.table.changes.rows
    compared.table.setFocus()
    press(qtbot, Qt.Key.Key_P)
    press(qtbot, Qt.Key.Key_Down)
    press(qtbot, Qt.Key.Key_Down)
    wait(
        qtbot,
        lambda: (
            [one.chart.row.rank for one in compared.charts.charts[:2] if one.chart is not None]
            == [rows[0].rank, rows[2].rank]
        ),
    )
    assert compared.table.changes.pinned == {rows[0].rank}
    shown = compared.charts.charts[0]
    assert shown.chart is not None
    assert shown.accessibleName() == f"{rows[0].counter} of {rows[0].name}"
    assert f"A {rows[0].a}, B {rows[0].b}" in shown.accessibleDescription()
    press(qtbot, Qt.Key.Key_X)
    model = opened.desk.comparison
    wait(qtbot, lambda: model.state == "ready")
    pinned = [one for one in compared.table.changes.rows if one.rank in compared.table.changes.pinned]
    assert [(one.entity, one.counter_key) for one in pinned] == [(rows[0].entity, rows[0].counter_key)]


def test_enter_shows_the_row_in_charts_over_both_windows(
    compared: ComparePage, opened: Program, qtbot: QtBot
) -> None:
    row, pair = compared.table.current, opened.desk.comparison.pair
    assert row is not None
    assert pair is not None
    compared.table.setFocus()
    press(qtbot, Qt.Key.Key_Return)
    assert opened.window.pages.currentWidget().objectName() == "panel-charts"
    window = opened.desk.scope.scope.window
    assert window is not None
    assert window.contains(pair.a.window.start)
    assert window.contains(pair.b.window.end)
    by_id = snapshot_of(opened).series_index.by_id
    charted = [by_id[one].counter for chart in opened.desk.charts.charts for one in chart.series]
    assert charted == [row.counter_key]
    press(qtbot, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert opened.window.pages.currentWidget().objectName() == "panel-compare", "where it was asked"
    press(qtbot, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert opened.window.pages.currentWidget().objectName() == "panel-charts"


def test_back_from_the_same_row_once_more_returns_to_the_comparison_each_time(
    compared: ComparePage, opened: Program, qtbot: QtBot
) -> None:
    for _ in range(2):
        compared.table.setFocus()
        press(qtbot, Qt.Key.Key_Return)
        opened.window.show_panel("compare")
    compared.table.setFocus()
    press(qtbot, Qt.Key.Key_Return)
    assert opened.window.pages.currentWidget().objectName() == "panel-charts"
    press(qtbot, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert opened.window.pages.currentWidget().objectName() == "panel-compare"


def test_another_session_that_is_opened_while_the_page_is_in_front_is_compared_too(
    compared: ComparePage, opened: Program, qtbot: QtBot, session: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.hscope"
    other.write_bytes(session.read_bytes())
    model, before = opened.desk.comparison, opened.desk.comparison.found
    opened.workbench.open_paths([other])
    wait(qtbot, lambda: model.state == "ready" and model.found is not before)
    assert opened.desk.session.path == other
    assert model.pair is not None
    assert model.pair.why.startswith("normal against worst: ")
    assert compared.table.changes.rows
    opened.desk.session.close()


@pytest.mark.parametrize("key", [Qt.Key.Key_X, Qt.Key.Key_R])
def test_keys_without_samples_say_what_there_has_to_be(
    program: Program, qtbot: QtBot, tmp_path: Path, key: Qt.Key
) -> None:
    with SessionWriter.create(tmp_path / "empty.hscope", durable=False) as writer:
        writer.add_source(SourceSpec("esxtop", "esx01", 5.0))
    program.workbench.open_paths([tmp_path / "empty.hscope"])
    wait(qtbot, lambda: program.desk.session.snapshot is not None)
    program.window.commands["go.compare"].trigger()
    assert program.window.messages.past[-1].text == (
        "The session has no samples yet: there is nothing to compare."
    )
    program.window.show_panel("compare")
    press(qtbot, key)
    assert program.window.messages.past[-1].text == (
        "The session has no samples yet. Two windows of it are compared here."
    )


def test_undecided_rows_are_folded_until_they_are_asked_for(
    compared: ComparePage, opened: Program, qtbot: QtBot
) -> None:
    rail = child_of(opened.window, CompareRail)
    assert "undecided" not in texts(compared, "judged")
    compared.lists.more.click()
    wait(qtbot, lambda: "undecided" in texts(compared, "judged"))
    assert rail.filter.boxes["undecided"].isChecked()
    assert set(texts(compared, "change")[-3:]) == {"?"}, "never written as the same"
    rail.filter.boxes["same"].setChecked(True)
    wait(qtbot, lambda: "same" in texts(compared, "judged"))
    assert texts(compared, "change")[-1] == "~"


def test_words_and_areas_choose_rows(compared: ComparePage, opened: Program, qtbot: QtBot) -> None:
    rail = child_of(opened.window, CompareRail)
    first = compared.table.changes.rows[0]
    qtbot.keyClicks(rail.filter.search, first.counter)
    assert {one.counter for one in compared.table.changes.rows} <= {
        one.counter for one in compared.table.changes.rows if first.counter.lower() in one.counter.lower()
    }
    rail.filter.areas[first.area].setChecked(False)
    assert first.rank not in [one.rank for one in compared.table.changes.rows]


def test_the_shown_time_is_compared_with_before(opened: Program, qtbot: QtBot) -> None:
    window = minutes(opened, 8, 14)
    opened.desk.scope.set(opened.desk.scope.scope.during(window))
    opened.window.commands["go.compare"].trigger()
    wait(qtbot, lambda: opened.desk.comparison.state == "ready")
    pair = opened.desk.comparison.pair
    assert pair is not None
    assert (pair.why, pair.b.window) == ("right before", window)
    assert pair.a.window.end == window.start - 1
    assert opened.window.pages.currentWidget().objectName() == "panel-compare"


def test_nothing_before_is_said_with_what_to_do(opened: Program, qtbot: QtBot) -> None:
    opened.desk.comparison.with_before(minutes(opened, 0, 14))
    view = child_of(opened.window, ComparePage)
    assert view.head.line.text() == "There is nothing before the chosen time."
    assert "Choose A and B" in view.empty.reason.text()
    view.empty.button.click()
    wait(qtbot, lambda: opened.desk.comparison.state == "ready")


def test_windows_that_overlap_are_refused_in_a_sentence(
    compared: ComparePage, opened: Program, qtbot: QtBot
) -> None:
    model = opened.desk.comparison
    a, b = (ChosenSide(name, minutes(opened, first, 10)) for name, first in (("one", 0), ("other", 5)))
    model.choose(PairOffer("overlapping", a, b))
    wait(qtbot, lambda: model.state == "failed")
    assert compared.head.line.text().startswith("A and B overlap")
    assert not compared.head.renew.isHidden()


def test_a_few_samples_are_indicative(compared: ComparePage, opened: Program, qtbot: QtBot) -> None:
    model = opened.desk.comparison
    short, long = minutes(opened, 0, 1), minutes(opened, 1, 14)
    model.choose(PairOffer("short", ChosenSide("one", short), ChosenSide("rest", long)))
    wait(qtbot, lambda: model.state == "ready")
    assert model.page is not None
    assert model.page.head.limits == "Indicative: A has 12 samples, 30 tell more."


def test_another_session_is_the_other_side(
    compared: ComparePage, opened: Program, qtbot: QtBot, session: Path, tmp_path: Path
) -> None:
    other = tmp_path / "the other.hscope"
    other.write_bytes(session.read_bytes())
    model = opened.desk.comparison
    model.choose(
        PairOffer(
            "both",
            ChosenSide("all", minutes(opened, 0, 14)),
            ChosenSide("rest", minutes(opened, 0, 14), session=None),
        )
    )
    child_of(opened.window, ComparisonChoosing).choose_session("b", other)
    wait(qtbot, lambda: model.state == "ready")
    assert model.found is not None
    assert model.found.counts["higher"] + model.found.counts["lower"] == 0, (
        "a session is the same as its copy"
    )
    alike = ("Nothing differs beyond the noise", "What can be told does not differ")
    wait(qtbot, lambda: compared.head.line.text().startswith(alike))
    assert "the other.hscope" in model.command
    opened.desk.session.close()


def test_typed_times_are_taken_or_refused(compared: ComparePage, opened: Program, qtbot: QtBot) -> None:
    window = minutes(opened, 3, 6)
    dialog = WindowDialog("When is A?", window, opened.desk.times.clock, opened.window)
    taken: list[TimeRange] = []
    dialog.chosen.connect(taken.append)
    dialog.open()
    dialog.start.setText("soon")
    dialog.buttons.accepted.emit()
    assert "is not a time" in dialog.trouble.text()
    dialog.start.setText(dialog.end.text())
    dialog.buttons.accepted.emit()
    assert dialog.trouble.text() == "It ends before it begins: To must be after From."
    assert taken == []
    dialog.start.setText(opened.desk.times.clock(window.start).strftime("%Y-%m-%d %H:%M:%S"))
    dialog.buttons.accepted.emit()
    assert [one.start // 1000 for one in taken] == [window.start // 1000]


def test_stopping_it_says_so_and_offers_to_go_on(opened: Program, qtbot: QtBot) -> None:
    opened.window.show_panel("compare")
    view, model = child_of(opened.window, ComparePage), opened.desk.comparison
    assert model.state == "computing"
    assert not view.head.cancel.isHidden()
    view.head.cancel.click()
    assert view.head.line.text() == "Comparing was stopped."
    view.head.renew.click()
    wait(qtbot, lambda: model.state == "ready")


def test_comparing_again_takes_an_offer_as_it_is_now_and_keeps_which_side_is_a(
    compared: ComparePage, opened: Program, qtbot: QtBot
) -> None:
    model = opened.desk.comparison
    known = model.known()
    assert known is not None
    now = next(one for one in pair_offers(known) if one.why == "first half against second half")
    earlier = TimeRange(known.span.start, known.span.start + 599_999)  # what was recorded when it was chosen
    then = next(one for one in pair_offers(Known(earlier)) if one.why == now.why)
    model.choose(then)
    wait(qtbot, lambda: model.state == "ready")
    model.swap()
    wait(qtbot, lambda: model.state == "ready")
    compared.table.setFocus()
    qtbot.keyClick(compared.table, Qt.Key.Key_R)
    wait(qtbot, lambda: model.state == "ready" and model.pair == now.swapped)


def test_x_and_again_leave_the_likeliest_pair_as_it_was_put(
    compared: ComparePage, opened: Program, qtbot: QtBot
) -> None:
    model = opened.desk.comparison
    assert model.pair is not None
    wanted = model.pair.swapped
    model.swap()
    wait(qtbot, lambda: model.state == "ready")
    model.renew()
    wait(qtbot, lambda: model.state == "ready")
    assert model.pair == wanted


def test_the_command_and_the_table_leave_the_window(
    compared: ComparePage, opened: Program, qtbot: QtBot
) -> None:
    compared.head.command.click()
    copied = QApplication.clipboard().text()
    words = shlex.split(copied) if sys.platform != "win32" else copied.split()
    assert words[:2] == ["hyperscope", "compare"]
    assert Path(words[2]) == opened.desk.session.path.absolute() if opened.desk.session.path else False
    assert words[3] == "--a"
    with qtbot.waitSignal(compared.save_wanted) as saved:
        compared.head.csv.click()
    csv = saved.args[0].forms[0].content().decode("utf-8-sig")
    lines = csv.splitlines()
    assert lines[0].startswith("rank,entity,counter,key,A,B,change,interval")
    assert len(lines) == len(compared.table.changes.rows) + 1


def test_the_palette_offers_pairs(opened: Program, qtbot: QtBot) -> None:
    texts_ = [one.text for one in palette_entries(opened.desk, opened.window.commands)]
    assert any(one.startswith("Compare: normal against worst") for one in texts_)
    assert "Compare: first half against second half" in texts_


def test_f1_explains_the_page_and_the_pane_beside_it(compared: ComparePage, opened: Program) -> None:
    rail = child_of(opened.window, CompareRail)
    for widget in (compared.table, compared.charts.charts[0], rail.filter.search):
        assert topic_of(widget) == "window#compare"
    assert "\n## Compare\n" in (docs_folder() / "window.md").read_text(encoding="utf-8")


def test_a_side_is_chosen_from_what_the_session_tells(
    compared: ComparePage, opened: Program, qtbot: QtBot
) -> None:
    rail, model = child_of(opened.window, CompareRail), opened.desk.comparison
    rail.sides["a"].change.click()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    texts_ = [one.text().partition("\t")[0] for one in menu.actions()]
    assert texts_[-2:] == ["Other times…", "Another session…"]
    assert "first half, of the session" in texts_
    menu.actions()[texts_.index("first half, of the session")].trigger()
    menu.close()
    wait(qtbot, lambda: model.state != "computing")
    assert model.pair is not None
    assert model.pair.a.title == "first half"
