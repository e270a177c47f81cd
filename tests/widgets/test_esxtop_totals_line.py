"""The totals above the esxtop table: in a low page they leave the room to its rows."""

from __future__ import annotations

import re
from html import unescape

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from widgets.esxtop.totals import TotalsLine
from widgets.theme import Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
TOTALS = [
    "4 hosts, 48 VMs, 132 vCPUs",
    "CPU load average 0.38 (max 0.41 esx02)",
    "PCPU USED(%) 37.6 % (max 39.2 % esx02)",
    "PCPU UTIL(%) 37.2 % (max 40.0 % esx02)",
    "◆ CORE UTIL(%) 69.6 % (max 73.3 % esx02)",
    "percentages of VMs per vCPU",
]


def plain(line: TotalsLine) -> list[str]:
    """What stands there, a total each."""
    text = unescape(re.sub(r"<[^>]*>", "", line.text())).replace("\N{WORD JOINER}", "")
    return [
        one.replace("\N{NO-BREAK SPACE}", " ").strip() for one in text.split("\N{NO-BREAK SPACE}" * 3 + " ")
    ]


def test_two_lines_hold_the_worst_and_count_the_rest(theme: Theme, qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    line = TotalsLine(theme)
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(line)
    column.addStretch(1)
    page.resize(420, 400)
    page.show()
    line.show_totals(TOTALS, "all of them")
    assert plain(line) == TOTALS
    whole = line.heightForWidth(line.width())
    line.limit_lines(2)
    first, *_, last = plain(line)
    assert first == TOTALS[4], "what is over its limit is not left out"
    assert re.fullmatch("and [2-5] more", last)
    assert line.heightForWidth(line.width()) <= whole / 2
    assert line.toolTip()
    page.resize(2_000, 400)
    qtbot.waitUntil(lambda: plain(line) == TOTALS)
