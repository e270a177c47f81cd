"""Check and plan on one page: checks left, plan right, since mending one changes the other."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import shown
from widgets.elided_label import ElidedLabel
from widgets.theme import Theme
from wizards.flows.check_result import CheckResult
from wizards.flows.plan_sheet import PlanSheet
from wizards.pages.checks import ChecksView
from wizards.pages.keys import CHECK_ALL, PRIMARY, press_on
from wizards.pages.plan_view import PlanView


class CheckPlanPage(QWidget):
    """The page.

    Signals: ``back``; ``saved`` for Save plan…, ``started`` for Start test…;
    ``checked`` for all checks again; ``length_chosen`` with a length's id; ``copied`` with a message and
    ``save_wanted`` with a FileOffer, of a table of the plan; from ``checks`` those of its rows.
    """

    back = Signal()
    saved = Signal()
    started = Signal()
    checked = Signal()
    length_chosen = Signal(str)
    copied = Signal(str)
    save_wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._block = ""
        self._length_buttons: dict[str, QPushButton] = {}
        self.checks = ChecksView(theme)
        self.plan = PlanView(theme)
        self.checks.copied.connect(self.copied)
        self.plan.copied.connect(self.copied)
        self.plan.save_wanted.connect(self.save_wanted)
        self._lengths = QHBoxLayout()
        self._lengths.setSpacing(6)
        self._group = QButtonGroup(self)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setHandleWidth(1)
        split.addWidget(self.checks)
        split.addWidget(self.plan)
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 2)
        split.setChildrenCollapsible(False)
        split.setSizes([372, 780])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._head())
        column.addWidget(split, 1)
        column.addWidget(self._foot())
        press_on(PRIMARY, self, lambda: self.start)
        press_on(CHECK_ALL, self, lambda: self._again)
        theme.changed.connect(self._dress)
        self._dress()

    def show_lengths(self, lengths: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer these lengths: their ids, and what their buttons say."""
        for button in self._group.buttons():
            self._group.removeButton(button)
            self._lengths.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._length_buttons = {}
        for length, text in lengths:
            button = QPushButton(text)
            button.setCheckable(True)
            button.clicked.connect(lambda _on=False, length=length: self.length_chosen.emit(length))
            self._group.addButton(button)
            self._lengths.addWidget(button)
            self._length_buttons[length] = button
        self.show_chosen_length(chosen)

    def show_chosen_length(self, chosen: str) -> None:
        """Show which length is chosen."""
        if chosen in self._length_buttons:
            self._length_buttons[chosen].setChecked(True)

    def take_focus(self) -> None:
        """Give the keys to the checks, or to Back while there are none."""
        self.setFocusProxy(self.checks.rows[0] if self.checks.rows else self._back)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_plan(self, sheet: PlanSheet) -> None:
        """Show this plan."""
        self.plan.show_sheet(sheet)

    def show_checks(
        self, checks: Sequence[CheckResult], when: str, *, checking: bool = False, problem: str = ""
    ) -> None:
        """Show these checks; while ``checking``, or while one blocks or there is a ``problem`` with the
        plan, the test can't be started.
        """
        self.checks.show_checks(checks, when)
        self.setFocusProxy(self.checks.rows[0] if self.checks.rows else self._back)
        blocks = [one for one in checks if one.state in ("block", "unknown")]
        self._block = blocks[0].id if blocks else ""
        self.start.setEnabled(not checking and not blocks and not problem and bool(checks))
        self._again.setEnabled(not checking)
        if checking:
            text = "Checking…"
        elif problem:
            text = f"▲ {_html(problem)}"
        elif blocks:
            more = f", and {len(blocks) - 1} more" if len(blocks) > 1 else ""
            text = f'<a href="#">▲ {_html(blocks[0].found)}{more}</a>'
        else:
            warned = sum(one.state == "warn" for one in checks)
            words = "warning goes" if warned == 1 else "warnings go"
            text = f"{warned} {words} into the result" if warned else ""
        self.reason.setText(text)
        self._dress()

    def _head(self) -> QWidget:
        head = QFrame()
        head.setProperty("role", "bar")
        title = QLabel("Check and plan")
        title.setProperty("role", "page-title")
        words = ElidedLabel("Everything that will happen, before anything happens.")
        length = QLabel("Length")
        for one in (words, length):
            one.setProperty("role", "muted")
        self._again = QPushButton("Check again")
        self._again.clicked.connect(self.checked)
        row = QHBoxLayout(head)
        row.setContentsMargins(16, 9, 16, 9)
        row.setSpacing(8)
        row.addWidget(title)
        row.addWidget(words, 1)
        row.addWidget(length)
        row.addLayout(self._lengths)
        row.addWidget(self._again)
        return head

    def _foot(self) -> QWidget:
        foot = QFrame()
        foot.setProperty("role", "foot")
        self._back, self._save = QPushButton("Back"), QPushButton("Save plan…")
        self._back.clicked.connect(self.back)
        self._save.clicked.connect(self.saved)
        self.reason = QLabel(textFormat=Qt.TextFormat.RichText)
        self.reason.setMinimumWidth(0)
        self.reason.linkActivated.connect(lambda _link: self.checks.go_to(self._block))
        self.start = QPushButton("Start test…")
        self.start.setProperty("role", "primary")
        self.start.setEnabled(False)
        self.start.clicked.connect(self.started)
        row = QHBoxLayout(foot)
        row.setContentsMargins(16, 10, 16, 10)
        row.setSpacing(8)
        for button in (self._back, self._save):
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.reason)
        row.addWidget(self.start)
        return foot

    def _dress(self) -> None:
        icons, tokens = self._theme.icons, self._theme.tokens
        self._again.setIcon(icons.get("refresh"))
        self._back.setIcon(icons.get("back"))
        self.start.setIcon(icons.get("play", tokens.on_accent if self.start.isEnabled() else tokens.faint))
        colour = tokens.critical if "▲" in self.reason.text() else tokens.muted
        self.reason.setStyleSheet(f"color: {colour}")
        if self._block:
            self.reason.setText(re_coloured(self.reason.text(), colour))


def re_coloured(html: str, colour: str) -> str:
    """Return a link's HTML with the link in this colour."""
    return html.replace('<a href="#">', f'<a href="#" style="color:{colour}; text-decoration:none">')


def _html(text: str) -> str:
    return shown(text).replace("&", "&amp;").replace("<", "&lt;")
