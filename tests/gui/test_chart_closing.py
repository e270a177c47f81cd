"""Charts that are added come into view, and those that are closed come back."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from tests.gui.recordings import record
from tests.gui.windows import child_of, has_charts, wait
from viewmodels.chart_spec import ChartSpec
from widgets.charts.card import ChartCard
from widgets.charts.stack import ChartStack

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def opened(live: Program, qtbot: QtBot, home: Path) -> ChartStack:
    """The charts of a VM, more of them than there is room for."""
    live.workbench.open_paths([record(home / "demo.hscope", seconds=300)])
    wait(qtbot, lambda: live.desk.session.snapshot is not None)
    vm = next(ref for ref in live.desk.session.snapshot.entities if ref.kind == "vm")  # type: ignore[union-attr]
    live.desk.scope.set(live.desk.scope.scope.on([vm]))
    live.window.show_panel("charts")
    wait(qtbot, lambda: has_charts(live))
    return child_of(live.window, ChartStack)


def titles(stack: ChartStack) -> list[str]:
    return [card.spec.shown_title for card in stack.cards]


def in_view(stack: ChartStack, card: ChartCard) -> bool:
    seen = QRect(QPoint(0, 0), stack.viewport().size())
    return seen.contains(QRect(card.mapTo(stack.viewport(), QPoint(0, 0)), card.size()))


def test_a_closed_chart_comes_back_and_the_charts_follow_the_scope_as_before(
    live: Program, qtbot: QtBot, home: Path
) -> None:
    stack = opened(live, qtbot, home)
    before = titles(stack)
    stack.cards[1].head.close_button.click()
    wait(qtbot, lambda: titles(stack) == [before[0], *before[2:]])
    assert before[1][:20] in live.window.messages.text
    button = live.window.messages.action_button
    assert button is not None
    button.click()
    wait(qtbot, lambda: titles(stack) == before)
    assert not live.desk.charts.choice.chosen
    live.window.actions_by_id["edit.redo"].trigger()
    wait(qtbot, lambda: titles(stack) == [before[0], *before[2:]])
    live.window.actions_by_id["edit.undo"].trigger()
    wait(qtbot, lambda: titles(stack) == before)
    assert not live.window.actions_by_id["edit.undo"].isEnabled()


def test_it_comes_back_beside_what_was_added_since(live: Program, qtbot: QtBot, home: Path) -> None:
    stack = opened(live, qtbot, home)
    before = titles(stack)
    snapshot = live.desk.session.snapshot
    assert snapshot is not None
    stack.cards[0].head.close_button.click()
    host = next(ref for ref in snapshot.entities if ref.kind == "host")
    live.desk.charts.add(snapshot.series_of[host][:1])
    live.window.actions_by_id["edit.undo"].trigger()
    wait(qtbot, lambda: len(stack.cards) == len(before) + 1)
    assert titles(stack)[:-1] == before


def test_a_new_chart_comes_into_view_and_so_does_one_that_comes_back(
    live: Program, qtbot: QtBot, home: Path
) -> None:
    stack = opened(live, qtbot, home)
    live.window.resize(1000, 600)
    QApplication.processEvents()
    snapshot = live.desk.session.snapshot
    assert snapshot is not None
    assert not in_view(stack, stack.cards[-1])
    host = next(ref for ref in snapshot.entities if ref.kind == "host")
    live.desk.charts.add(snapshot.series_of[host][:1])
    wait(qtbot, lambda: "esx" in stack.cards[-1].spec.shown_title and in_view(stack, stack.cards[-1]))
    stack.cards[0].head.close_button.click()
    wait(qtbot, lambda: not in_view(stack, stack.cards[0]))
    live.window.actions_by_id["edit.undo"].trigger()
    wait(qtbot, lambda: in_view(stack, stack.cards[0]))


def test_a_chart_that_has_gone_from_the_board_closes_no_other(
    live: Program, qtbot: QtBot, home: Path
) -> None:
    """Other charts were chosen, and are still being read: what is drawn can be clicked all the same."""
    stack = opened(live, qtbot, home)
    snapshot, cards = live.desk.session.snapshot, list(stack.cards)
    assert snapshot is not None
    host = next(ref for ref in snapshot.entities if ref.kind == "host")
    live.desk.charts.release()
    live.desk.charts.choose([ChartSpec("", "%", (snapshot.series_of[host][0].id,))])
    board = live.desk.charts.charts
    cards[0].head.close_button.click()
    cards[-1].head.close_button.click()
    assert live.desk.charts.charts == board
    assert not live.window.actions_by_id["edit.undo"].isEnabled()
