"""What to do about a check, step by step: where, which lines to copy, and what a running lab can do of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from resources.foreign_text import breakable, shown
from resources.lab_acts import LabAct
from sessions.clock import Clock
from sessions.troubleshooting import CheckResult, Step
from widgets.copying import copy_text
from widgets.theme import Theme
from wizards.flows.troubleshooting.lab_steps import lab_acts_of


class StepsView(QWidget):
    """Signals: ``copied`` with a message; ``lab_wanted`` with the check and the id of an act that the lab is
    to do; ``done_in_lab`` when it has done it.
    """

    copied = Signal(str)
    lab_wanted = Signal(object, str)
    done_in_lab = Signal()

    def __init__(self, theme: Theme, clock: Callable[[], Clock], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._clock = theme, clock
        self._check: CheckResult | None = None
        self._has_lab, self._asked = False, ""
        self._done: dict[str, str] = {}
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._steps = QVBoxLayout(self)
        self._steps.setContentsMargins(0, 0, 0, 0)
        self._steps.setSpacing(8)

    def show_check(self, check: CheckResult) -> None:
        """Show the steps of a check."""
        self._check = check
        self.renew()

    def renew(self) -> None:
        """Make the steps anew: something of the lab has changed, or the colours have."""
        while self._steps.count():
            item = self._steps.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        check = self._check
        if check is None:
            return
        acts = lab_acts_of(check) if self._has_lab and check.is_found else [()] * len(check.steps)
        for number, (step, in_the_lab) in enumerate(zip(check.steps, acts, strict=True), start=1):
            self._steps.addWidget(self._step(number, step, () if step.seen else in_the_lab))

    def offer_lab(self, *, is_there: bool) -> None:
        """Offer what the running lab can do beside the steps, or not any more."""
        if is_there != self._has_lab:
            self._has_lab = is_there
            self.renew()

    def show_lab_done(self, act: str, text: str) -> None:
        """Show what the lab has done where it was asked for."""
        self._done[act] = text
        self._asked = ""
        self.renew()
        self.done_in_lab.emit()

    def lab_refused(self) -> None:
        """Offer again what the lab was asked for and could not do."""
        if self._asked:
            self._asked = ""
            self.renew()

    def forget_lab(self) -> None:
        """Another symptom is looked into: what the lab did was for the one before."""
        self._done.clear()

    def _step(self, number: int, step: Step, acts: Sequence[LabAct]) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        disc = QLabel("✓" if step.seen else str(number))
        disc.setProperty("role", "step")
        disc.setProperty("state", "ok" if step.seen else "")
        disc.setAlignment(Qt.AlignmentFlag.AlignCenter)
        disc.setFixedSize(20, 20)
        column = QVBoxLayout()
        column.setSpacing(2)
        so = f"If so ({step.if_so}): " if step.if_so else ""
        column.addWidget(_words("", f"{so}{step.text}", 600))
        if step.seen and step.seen_at is not None:
            column.addWidget(_words("ok", f"seen at {self._clock().time(step.seen_at)}: {step.seen}", 230))
        if step.client:
            column.addWidget(_words("muted", step.client, 300))
        copies = QHBoxLayout()
        copies.setSpacing(4)
        for name, text in (("PowerCLI", step.powercli), ("esxcli", step.esxcli)):
            if text:
                copies.addWidget(self._copy_button(name, text, number))
        copies.addStretch(1)
        if copies.count() > 1:
            column.addLayout(copies)
        done = [self._done[act.id] for act in acts if act.id in self._done]
        for text in done:
            column.addWidget(_words("ok", f"✓ {text}", 300))
        for act in () if done else acts:
            column.addWidget(self._lab_button(act), 0, Qt.AlignmentFlag.AlignLeft)
        row.addWidget(disc, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(column, 1)
        return line

    def _copy_button(self, name: str, text: str, number: int) -> QPushButton:
        button = QPushButton(f"Copy {name}")
        button.setProperty("role", "toggle")
        button.setIcon(self._theme.icons.get("copy"))
        button.setToolTip(shown(text, 600))
        button.setAccessibleName(f"Copy the {name} line of step {number}")
        button.clicked.connect(partial(self._copy, text, name))
        return button

    def _lab_button(self, act: LabAct) -> QPushButton:
        button = QPushButton(f"In the lab: {act.title[:1].lower()}{act.title[1:]}")
        button.setProperty("role", "toggle")
        button.setEnabled(act.id != self._asked)
        button.setIcon(self._theme.icons.get("lab", self._theme.tokens.accent))
        button.setToolTip("The lab does it now, as you would in the vSphere Client; nothing real is touched")
        button.clicked.connect(partial(self._ask_lab, button, act))
        return button

    def _copy(self, text: str, name: str, _checked: bool = False) -> None:
        self.copied.emit(copy_text(text, f"The {name} line"))

    def _ask_lab(self, button: QPushButton, act: LabAct, _checked: bool = False) -> None:
        if self._check is not None:
            self.setFocus()  # else the next field of the window gets the keys
            button.setEnabled(False)
            self._asked = act.id
            self.lab_wanted.emit(self._check, act.id)


def _words(role: str, text: str, most: int) -> QLabel:
    label = QLabel(breakable(shown(text, most)), wordWrap=True, textFormat=Qt.TextFormat.PlainText)
    label.setProperty("role", role)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
