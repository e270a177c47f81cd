"""Choose: what the test is about, who does the I/O, and how; with what the choice costs beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import breakable, shown, tooltip_text
from resources.guided_tests import GuidedTest, InputValue, Length
from widgets.theme import Theme
from wizards.flows.cards import Reach
from wizards.flows.choices import Chosen, Offer
from wizards.flows.plan_sheet import PlanSheet
from wizards.pages.guests_choice import MachinesChoice, VmsChoice
from wizards.pages.input_fields import InputFields
from wizards.pages.keys import PRIMARY, press_on
from wizards.pages.numbers import NumbersRow
from wizards.pages.phase_bar import PhaseBar

LENGTHS: tuple[tuple[Length, str], ...] = (("quick", "Quick"), ("full", "Full"), ("lab", "The lab's minute"))


WHERE: Mapping[Reach, str] = {
    "vcenter": "VMs of the recorded vCenter",
    "ssh": "Guests over ssh, without a vCenter",
    "lab": "The lab: simulated VMs",
}


@dataclass(frozen=True, slots=True)
class Where:
    """What a test acts on: how it is reached, and how else it could be; the addresses, and of a vCenter the
    account of its guests and the VMs that are ticked.
    """

    reach: Reach
    others: tuple[Reach, ...] = ()
    addresses: tuple[str, ...] = ()
    user: str = ""
    ticked: tuple[str, ...] = ()


class ChoosePage(QWidget):
    """The page.

    Signals: ``changed`` when something else is chosen, ``next_wanted``, ``back``; ``reach_chosen`` with how
    else it is to be reached; ``entered`` with the guests that are to be asked, ``other_password`` with
    those whose account's password is to be asked for again.
    """

    changed = Signal()
    next_wanted = Signal()
    back = Signal()
    reach_chosen = Signal(str)
    entered = Signal(object)
    other_password = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._test: GuidedTest | None = None
        self._objects: dict[str, QComboBox] = {}
        self._workers: dict[str, QCheckBox] = {}
        self.vms: VmsChoice | None = None
        self.machines: MachinesChoice | None = None
        self.where = QComboBox(self)
        self._fields: InputFields | None = None
        self._wants_focus = False
        self._critical = QComboBox(self)
        self._length = QComboBox(self)
        self._critical.setAccessibleName("Critical worker")
        self._length.setAccessibleName("Length")
        self.numbers = NumbersRow(theme, self)
        self.phases = PhaseBar(theme, self)
        self._costs = QLabel(self)
        self.problem = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.taken = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.taken.setProperty("role", "muted")
        self.taken.setContentsMargins(16, 8, 16, 0)
        self.taken.hide()
        self.next = QPushButton("Check and plan")
        self.next.setProperty("role", "primary")
        self.next.clicked.connect(self.next_wanted)
        for one in (self._critical, self._length, self.where, self._costs, self.numbers, self.phases):
            one.hide()  # until a test is shown
        self._critical.currentTextChanged.connect(lambda _text: self.changed.emit())
        self._length.currentIndexChanged.connect(self._take_length)
        self._title, self._question = QLabel(), QLabel(wordWrap=True)
        self._title.setProperty("role", "page-title")
        self._question.setProperty("role", "muted")
        self._area = QScrollArea(widgetResizable=True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._head())
        column.addWidget(self.taken)
        column.addWidget(self._area, 1)
        column.addWidget(self._foot())
        press_on(PRIMARY, self, lambda: self.next)

    def show_test(self, test: GuidedTest, offer: Offer, where: Where) -> None:
        """Ask for the inputs of this test, from what the environment has."""
        is_again = test == self._test and where.reach != "lab"  # there "Run" takes the defaults
        kept = self._fields.values if self._fields is not None and is_again else {}
        self._test = test
        self.blockSignals(True)  # what is filled in here was not chosen by anybody
        self._title.setText(test.title)
        self._question.setText(test.question)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        self._costs = _caps("WHAT IT COSTS")
        column.addWidget(self._costs)
        column.addWidget(self.numbers)
        column.addWidget(self.phases)
        both = QHBoxLayout()
        both.setSpacing(24)
        both.addLayout(self._what(test, offer, where), 1)
        both.addLayout(self._how(test, kept), 1)
        column.addLayout(both)
        column.addStretch(1)
        keep = (self.numbers, self.phases, self._critical, self._length)
        focus = self.focusWidget()
        had_focus = focus is not None and focus.hasFocus() and self._area.isAncestorOf(focus)
        held = _called(focus) if had_focus else None
        old = self._area.takeWidget()
        self._area.setWidget(body)
        for one in keep:
            is_used = body.isAncestorOf(one)
            if not is_used:
                one.setParent(self)
            one.setVisible(is_used)
        if old is not None:
            old.deleteLater()
        self.blockSignals(False)
        first = self.vms.table if self.vms is not None else None
        self.setFocusProxy(first or (self.machines.text if self.machines is not None else self.where))
        if held is not None:
            same = next((one for one in body.findChildren(QWidget) if _called(one) == held), None)
            is_there = same is not None and same.isEnabled() and not self._wants_focus
            (same if same is not None and is_there else self).setFocus(Qt.FocusReason.OtherFocusReason)
        elif self._wants_focus:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._wants_focus = False

    def take_focus(self) -> None:
        """Give the keys to what is to be chosen first, as soon as it is there."""
        self._wants_focus = True
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_chosen(self, chosen: Chosen, *, with_inputs: bool = False) -> None:
        """Show what was chosen without the user; ``with_inputs``: length and inputs, too."""
        if with_inputs and self._fields is not None:
            self.blockSignals(True)
            self.choose_length(chosen.length)
            self._fields.set_values(dict(chosen.inputs))
            self.blockSignals(False)
        for what, name in chosen.objects:
            combo = self._objects.get(what)
            if combo is not None and combo.findData(name) >= 0:
                combo.blockSignals(True)
                combo.setCurrentIndex(combo.findData(name))
                combo.blockSignals(False)
        for name, box in self._workers.items():
            box.blockSignals(True)
            box.setChecked(name in chosen.workers)
            box.blockSignals(False)
        self._fill_critical()
        self._critical.blockSignals(True)
        self._critical.setCurrentText(chosen.critical)
        self._critical.blockSignals(False)

    def show_cost(self, sheet: PlanSheet | None, problem: str = "", step: str = "", taken: str = "") -> None:
        """Show what the choice costs, or why there is no plan for it: ``step`` is to be done first. ``taken``
        says what of it was taken over from an earlier run.
        """
        self.taken.setText(breakable(taken))
        self.taken.setVisible(bool(taken))
        self.numbers.show_numbers(sheet.numbers if sheet is not None else ())
        self.phases.show_phases(sheet.phases if sheet is not None else ())
        for one in (self._costs, self.numbers, self.phases):
            one.setVisible(sheet is not None)
        self.problem.setText(shown(problem or step))
        self.next.setToolTip(tooltip_text(problem or step))
        self.next.setEnabled(sheet is not None and not problem)

    @property
    def chosen(self) -> Chosen:
        """What is chosen now."""
        fields = self._fields
        return Chosen(
            tuple((name, combo.currentData()) for name, combo in self._objects.items() if combo.count()),
            self._ticked(),
            self._critical.currentText() if self._test is not None and "critical" in self._test.roles else "",
            self._length.currentData() or "quick",
            tuple(fields.values.items()) if fields is not None else (),
        )

    @property
    def input_problem(self) -> str:
        """What is wrong with what was typed, empty if nothing is."""
        typed = self._fields.problem if self._fields is not None else ""
        return typed or (self.vms.problem if self.vms is not None else "")

    def leave_out(self, names: Sequence[str]) -> None:
        """Choose without these workers."""
        for name in names:
            if name in self._workers:
                self._workers[name].setChecked(False)
        if self.vms is not None:
            self.vms.leave_out(names)

    def choose_length(self, length: str) -> None:
        """Choose this length."""
        self._length.setCurrentIndex(max(0, self._length.findData(length)))

    def _what(self, test: GuidedTest, offer: Offer, where: Where) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(6)
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        self._objects = {}
        column.addWidget(_caps("WHERE"))
        column.addWidget(self._where(where))
        objects = [(name, names) for name, names in offer.objects if names]
        if objects:
            column.addWidget(_caps("WHAT"))
        for row, (name, names) in enumerate(objects):
            combo = QComboBox()
            for each in names:
                combo.addItem(shown(each, 80), each)
            combo.setAccessibleName(name.capitalize())
            combo.currentTextChanged.connect(lambda _text: self.changed.emit())
            self._objects[name] = combo
            grid.addWidget(QLabel(name.capitalize()), row, 0)
            grid.addWidget(combo, row, 1)
        column.addLayout(grid)
        column.addWidget(_caps(f"WHO, AT LEAST {test.workers_least}"))
        self._who(column, offer, where)
        if "critical" in test.roles:
            line = QHBoxLayout()
            line.addWidget(QLabel("Critical worker"))
            line.addWidget(self._critical, 1)
            column.addLayout(line)
        self._fill_critical()
        column.addStretch(1)
        self._fill_lengths(offer)
        return column

    def _where(self, where: Where) -> QWidget:
        """Return the choice of what the test acts on."""
        self.where.deleteLater()
        self.where = QComboBox(self)
        self.where.setAccessibleName("Where the test runs")
        for reach in dict.fromkeys((where.reach, *where.others)):
            self.where.addItem(WHERE[reach] if reach else "", reach)
        self.where.setToolTip(tooltip_text("\n".join(shown(one, 80) for one in where.addresses)))
        self.where.currentIndexChanged.connect(lambda _at: self.reach_chosen.emit(self.where.currentData()))
        return self.where

    def _who(self, column: QVBoxLayout, offer: Offer, where: Where) -> None:
        """Add the choice of workers: VMs whose guests are to be entered, machines, or what there is."""
        self._workers, self.vms, self.machines = {}, None, None
        if where.reach == "vcenter":
            self.vms = VmsChoice()
            self.vms.show_vms(offer.candidates, offer.workers, where.user, where.ticked)
            self.vms.changed.connect(self._workers_changed)
            self.vms.entered.connect(self.entered)
            self.vms.other_password.connect(self.other_password)
            column.addWidget(self.vms)
            return
        if where.reach == "ssh":
            self.machines = MachinesChoice()
            self.machines.show_addresses(where.addresses)
            self.machines.entered.connect(self.entered)
            column.addWidget(self.machines)
        for one in offer.workers:
            box = QCheckBox(f"{shown(one.name, 60)}   {shown(one.about, 60)}")
            box.setChecked(not one.why_not)
            box.setEnabled(not one.why_not)
            box.setToolTip(tooltip_text(one.why_not))
            box.toggled.connect(lambda _on: self._workers_changed())
            self._workers[one.name] = box
            column.addWidget(box)

    def _ticked(self) -> tuple[str, ...]:
        """Return the workers that are chosen."""
        if self.vms is not None:
            return self.vms.workers
        return tuple(name for name, box in self._workers.items() if box.isChecked())

    def _how(self, test: GuidedTest, kept: Mapping[str, InputValue]) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(6)
        column.addWidget(_caps("HOW"))
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        grid.setVerticalSpacing(8)
        grid.addWidget(QLabel("Length"), 0, 0)
        grid.addWidget(self._length, 0, 1)
        self._fields = InputFields(test.input, grid, self)
        self._fields.changed.connect(self.changed)
        column.addLayout(grid)
        column.addStretch(1)
        self._take_length()
        self._fields.set_values(kept)
        return column

    def _fill_lengths(self, offer: Offer) -> None:
        self._length.blockSignals(True)
        before = self._length.currentData()
        self._length.clear()
        for length, words in LENGTHS:
            if length in offer.lengths:
                self._length.addItem(words, length)
        self._length.setCurrentIndex(max(0, self._length.findData(before)))
        self._length.blockSignals(False)

    def _fill_critical(self) -> None:
        before = self._critical.currentText()
        self._critical.blockSignals(True)
        self._critical.clear()
        self._critical.addItems(list(self._ticked()))
        self._critical.setCurrentText(before)
        self._critical.blockSignals(False)

    def _workers_changed(self) -> None:
        self._fill_critical()
        self.changed.emit()

    def _take_length(self) -> None:
        length = self._length.currentData()
        if self._test is not None and self._fields is not None and length in self._test.lengths:
            self._fields.set_values(self._test.lengths[length].inputs)
        self.changed.emit()

    def _head(self) -> QWidget:
        head = QFrame()
        head.setProperty("role", "bar")
        row = QHBoxLayout(head)
        row.setContentsMargins(16, 9, 16, 9)
        row.setSpacing(10)
        row.addWidget(self._title)
        row.addWidget(self._question, 1)
        return head

    def _foot(self) -> QWidget:
        foot = QFrame()
        foot.setProperty("role", "foot")
        back = QPushButton("All tests")
        back.clicked.connect(self.back)
        row = QHBoxLayout(foot)
        row.setContentsMargins(16, 10, 16, 10)
        row.addWidget(back)
        row.addWidget(self.problem, 1)
        row.addWidget(self.next)
        return foot


def _caps(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "pane-title")
    return label


def _called(widget: QWidget | None) -> tuple[type[QWidget], str] | None:
    """Return what a widget is and how it is called, by which it is known when the page is made anew."""
    if widget is None:
        return None
    text = widget.text() if isinstance(widget, QPushButton) else ""
    return type(widget), widget.accessibleName() or text
