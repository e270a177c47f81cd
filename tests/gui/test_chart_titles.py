"""Titles of charts in the whole window."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from tests.gui.one_window import opened, program, session
from tests.gui.windows import wait
from widgets.charts.card import ChartCard

__all__ = ["opened", "program", "session"]
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_a_title_is_shortened_where_it_has_no_room_and_never_cut_through(
    opened: Program, qtbot: QtBot
) -> None:
    """Small charts without a close button showed "JBOSS 11…lin" with half a letter behind it."""
    window, desk = opened.window, opened.desk
    window.resize(1280, 800)
    window.show_panel("overview")
    whole = desk.session.whole
    assert whole is not None
    vm = next(ref for ref in whole.entities if ref.kind == "vm" and whole.name(ref).startswith("JBOSS 11"))
    desk.scope.set(desk.scope.scope.on((vm,)))

    def titles() -> list[QLabel]:
        cards = [card for card in window.findChildren(ChartCard) if card.isVisible()]
        labels = [label for card in cards for label in card.findChildren(QLabel)]
        return [one for one in labels if one.property("role") == "title" and one.isVisible()]

    wait(qtbot, lambda: any("…" in one.text() and "JBOSS" in one.text() for one in titles()))
    wait(qtbot, lambda: all(one.width() >= one.minimumSizeHint().width() for one in titles()))
