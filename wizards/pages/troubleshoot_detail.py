"""One check: what was found, its chart, the rule, causes told apart, what to do, did it work, and notes."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import breakable, shown, tooltip_text
from sessions.clock import Clock
from sessions.findings import CauseVerdict
from sessions.troubleshooting import CheckResult, Note
from widgets.link_label import LinkLabel
from widgets.theme import Theme
from wizards.flows.troubleshooting.check_charts import CheckChart
from wizards.flows.troubleshooting.detail import head_of, limit_source, number_words, rules_of
from wizards.pages.fact_list import SymbolView
from wizards.pages.result_head import ChipsView
from wizards.pages.troubleshoot_chart import CheckChartView
from wizards.pages.troubleshoot_steps import StepsView
from wizards.pages.troubleshoot_verify import VerifyCard

_TWO_COLUMNS = 640
_CAUSE_STATES = {"likely": "critical", "possible": "warning", "ruled out": "", "unknown": "unknown"}


class CheckDetail(QScrollArea):
    """Signals: ``explained`` with a problem whose page is wanted; ``measured`` when the numbers are to be
    charted; ``limits_wanted`` when the limits are to be changed; ``checked`` with a problem of the same row
    to show instead; ``noted`` with a note, ``unnoted`` with one that is to be removed; ``entity_wanted`` for
    who it is about. ``steps`` is what to do.
    """

    explained = Signal(str)
    measured = Signal()
    limits_wanted = Signal()
    checked = Signal(str)
    noted = Signal(str)
    unnoted = Signal(object)
    entity_wanted = Signal(object)

    def __init__(self, theme: Theme, clock: Callable[[], Clock], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._clock = theme, clock
        self._check: CheckResult | None = None
        self._is_wide = True
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("The chosen check")
        self._symbol = SymbolView(theme)
        self.title = _words("page-title")
        self._chips = ChipsView(theme)
        self._id = LinkLabel("check-id")
        self._id.linkActivated.connect(lambda _link: self._explain())
        self.sentence = _words("")
        self.follows = _words("title")
        self.chart = CheckChartView(theme, clock)
        self.rule = LinkLabel("check-rule")
        self.rule.setWordWrap(True)
        self.rule.setProperty("role", "")
        self.rule.linkActivated.connect(self._follow)
        self._source, self._question = _words("muted"), _words("muted")
        self._others = LinkLabel("check-others")
        self._others.setWordWrap(True)
        self._others.linkActivated.connect(self.checked)
        self._remarks = _words("muted")
        self._causes, self._notes = QVBoxLayout(), QGridLayout()
        self.steps = StepsView(theme, clock)
        self._heads = {name: _caps(name) for name in ("The rule", "Causes told apart", "What to do", "Notes")}
        self.verify = VerifyCard(theme, clock)
        self.note = QLineEdit(placeholderText="Add a note… it is kept with the run")
        self.note.setAccessibleName("Add a note")
        self.note.setMaxLength(2000)
        self.note.returnPressed.connect(self._note)
        self.kept = _words("muted")
        self._arrange()
        self.verify.asked.connect(self._place_columns)
        self.verify.asked.connect(partial(self._scroll_to, self.verify.window_button))
        self.verify.answered.connect(partial(self._scroll_to, self.verify.title))
        self.steps.done_in_lab.connect(self._look_at_verify)
        theme.changed.connect(self._renew)

    def _arrange(self) -> None:
        head = self._head = QGridLayout()
        head.setHorizontalSpacing(8)
        head.setVerticalSpacing(4)
        head.addWidget(self._symbol, 0, 0, Qt.AlignmentFlag.AlignTop)
        head.setColumnStretch(1, 1)
        self._left, self._right = QWidget(), QWidget()
        left, right = QVBoxLayout(self._left), QVBoxLayout(self._right)
        for one in (left, right):
            one.setContentsMargins(0, 0, 0, 0)
            one.setSpacing(6)
        left.addWidget(self._heads["The rule"])
        left.addWidget(self._question)
        left.addWidget(self.rule)
        left.addWidget(self._source)
        left.addSpacing(6)
        left.addWidget(self._heads["Causes told apart"])
        self._causes.setSpacing(6)
        left.addLayout(self._causes)
        left.addWidget(self._others)
        left.addStretch(1)
        right.addWidget(self._heads["What to do"])
        right.addWidget(self.steps)
        right.addWidget(self.verify)
        right.addSpacing(6)
        right.addWidget(self._heads["Notes"])
        right.addLayout(self._notes)
        self._notes.setColumnStretch(1, 1)
        right.addWidget(self.note)
        right.addWidget(self.kept)
        right.addStretch(1)
        self._columns = QGridLayout()
        self._columns.setHorizontalSpacing(20)
        self._columns.setVerticalSpacing(12)
        self._place_columns()
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.sentence)
        column.addWidget(self.follows)
        column.addWidget(self._remarks)
        column.addWidget(self.chart)
        column.addLayout(self._columns)
        column.addStretch(1)
        self.setWidget(inside)

    def show_check(
        self,
        check: CheckResult,
        chart: CheckChart | None,
        before: CheckResult | None,
        others: Sequence[CheckResult],
    ) -> None:
        """Show a check; ``before`` is the same one before the change (None: not judged again), ``others`` are
        those of the same row.
        """
        is_same = self._check is not None and self._check.problem == check.problem
        words = head_of(check, before)
        self._symbol.show_state(words.state)
        self.title.setText(breakable(shown(words.title, 200)))
        self._chips.show_chips(words.chips)
        self._chips.setFixedWidth(self._chips.wanted_width())
        self._id.show_links(self._link("id", f"{check.problem} · F1"))
        self.sentence.setText(breakable(shown(words.sentence, 1000)))
        self.follows.setText(breakable(shown(words.follows, 300)))
        self.follows.setVisible(bool(words.follows))
        self._remarks.setText("\n".join(breakable(shown(one, 2000)) for one in words.notes))
        self._remarks.setVisible(bool(words.notes))
        self.chart.show_check(chart)
        self.chart.setVisible(chart is not None)
        if self._check != check:
            self._check = check
            self._show_rule(check)
            self._show_causes(check.causes)
            self._heads["What to do"].setVisible(bool(check.steps))
            self.steps.show_check(check)
        self._show_others([one for one in others if one.problem != check.problem])
        self.setAccessibleDescription(f"{words.title}: {check.verdict}. {words.sentence}")
        if not is_same:
            self.verticalScrollBar().setValue(0)

    @property
    def problem(self) -> str:
        """The problem that is shown, empty for none."""
        return self._check.problem if self._check is not None else ""

    def show_notes(self, notes: Sequence[Note], kept: str) -> None:
        """Show the notes of the run, and whether it is kept."""
        _empty(self._notes)
        clock = self._clock()
        for row, one in enumerate(notes):
            when = _words("muted", f"{clock.time(one.at, seconds=False)} {shown(one.by, 20)}".strip())
            text = _words("", breakable(shown(one.text, 2000)))
            remover = self._remover(one)
            above = max(0, (remover.sizeHint().height() - text.fontMetrics().lineSpacing()) // 2)
            for column, label in enumerate((when, text)):  # their first lines beside the middle of the button
                label.setContentsMargins(0, above, 0, 0)
                self._notes.addWidget(label, row, column, Qt.AlignmentFlag.AlignTop)
            self._notes.addWidget(remover, row, 2, Qt.AlignmentFlag.AlignTop)
        self.kept.setText(breakable(shown(kept, 400)))
        self.kept.setVisible(bool(kept))

    def _remover(self, note: Note) -> QToolButton:
        """Return the button that removes a note."""
        button = QToolButton()
        button.setObjectName("remove-note")
        button.setProperty("role", "ghost")
        button.setIcon(self._theme.icons.get("close"))
        button.setToolTip("Remove this note")
        button.setAccessibleName(f"Remove the note “{shown(note.text, 60)}”")
        button.clicked.connect(lambda: self.unnoted.emit(note))
        return button

    def write_note(self) -> None:
        """Give the keyboard to the line for a note, which stands below all that was found."""
        self.note.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._scroll_to(self.note)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Put what to do below the rule where there is no room beside it."""
        super().resizeEvent(event)
        is_wide = self.viewport().width() >= _TWO_COLUMNS
        if is_wide != self._is_wide:
            self._is_wide = is_wide
            self._place_columns()

    def _place_columns(self) -> None:
        top, left = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        for part in (self.title, self._chips, self._id):
            self._head.removeWidget(part)
        self._head.addWidget(self.title, 0, 1, 1, 1 if self._is_wide else 2)
        self._head.addWidget(
            self._chips, *((0, 2) if self._is_wide else (1, 1)), top if self._is_wide else left
        )
        self._head.addWidget(self._id, *((0, 3) if self._is_wide else (1, 2)), top)
        for one in (self._left, self._right):
            self._columns.removeWidget(one)
        # One above the other, what became of it comes first: it is what is looked for then.
        first = 0 if self._is_wide or not self.verify.is_asked else 1
        self._columns.addWidget(self._left, first, 0, Qt.AlignmentFlag.AlignTop)
        at = (0, 1) if self._is_wide else (1 - first, 0)
        self._columns.addWidget(self._right, *at, Qt.AlignmentFlag.AlignTop)
        self._columns.setColumnStretch(0, 1)
        self._columns.setColumnStretch(1, 1 if self._is_wide else 0)
        self._columns.setColumnMinimumWidth(1, 0)

    def _look_at_verify(self) -> None:
        """The change was made: the fix can be verified now."""
        if self.verify.done.isVisible():
            self.verify.done.setFocus()
            self.ensureWidgetVisible(self.verify)

    def _scroll_to(self, part: QWidget) -> None:
        """Scroll to a part of the answer, once it is laid out."""
        QTimer.singleShot(0, self, lambda: self.ensureWidgetVisible(part))

    def _link(self, target: str, text: str, *, colour: str = "", bold: bool = False) -> str:
        ink = colour or self._theme.tokens.accent
        weight = "; font-weight:600" if bold else ""
        return f'<a href="{target}" style="color:{ink}; text-decoration:none{weight}">{html.escape(text)}</a>'

    def _show_rule(self, check: CheckResult) -> None:
        tokens = self._theme.tokens
        rows = []
        told = rules_of(check)
        if not told and check.number is not None:
            told = [number_words(check.number)]
        for words in told:
            colour = tokens.critical if words.holds == "yes" and check.is_found else tokens.muted
            rows.append(
                f"<tr><td>{html.escape(shown(words.what, 120))}</td>"
                f'<td align="right">&nbsp;{self._link("measured", _whole(words.measured), bold=True)}</td>'
                f'<td align="right" style="color:{tokens.muted}">&nbsp;&nbsp;'
                f"{self._link('limits', _whole(words.limit), colour=tokens.muted)}</td>"
                f'<td align="right" style="color:{colour}">&nbsp;{words.holds}</td></tr>'
            )
        head = "".join(
            f'<td align="{side}" style="color:{tokens.muted}">{text}</td>'
            for side, text in (
                ("left", ""),
                ("right", "&nbsp;&nbsp;measured"),
                ("right", "&nbsp;&nbsp;limit"),
                ("right", "&nbsp;&nbsp;holds"),
            )
        )
        table = f'<table width="100%" cellspacing="0" cellpadding="2"><tr>{head}</tr>{"".join(rows)}</table>'
        self._question.setText(breakable(shown(check.looked_at, 300)))
        self.rule.show_links(table if rows else "")
        self.rule.setVisible(bool(rows))
        limit, who_says = limit_source(check)
        self._source.setText(limit)
        self._source.setToolTip(tooltip_text(who_says))
        self._source.setVisible(bool(limit))

    def _show_causes(self, causes: Sequence[CauseVerdict]) -> None:
        _empty(self._causes)
        self._heads["Causes told apart"].setVisible(bool(causes))
        muted = self._theme.tokens.muted
        for one in causes:
            line = QWidget()
            row = QHBoxLayout(line)
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(8)
            chip = QLabel(one.verdict)
            chip.setProperty("role", "chip")
            chip.setProperty("state", _CAUSE_STATES[one.verdict])
            chip.setAlignment(Qt.AlignmentFlag.AlignCenter)
            chip.setFixedSize(68, 18)
            text = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
            because = html.escape(shown(one.because, 400))
            text.setText(f"{html.escape(shown(one.title, 200))} <span style='color:{muted}'>{because}</span>")
            text.setAccessibleName(f"{one.verdict}: {shown(one.title, 200)}. {shown(one.because, 400)}")
            row.addWidget(chip, 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(text, 1)
            self._causes.addWidget(line)

    def _show_others(self, others: Sequence[CheckResult]) -> None:
        symbols = {"problem": "▲", "suspected": "◆", "not found": "●", "insufficient data": "○"}
        parts = [
            self._link(one.problem, f"{symbols.get(one.verdict, '·')} {one.title}")
            for one in others
            if one.verdict != "not applicable"
        ]
        self._others.show_links(f"Also asked here: {' · '.join(parts)}" if parts else "")
        self._others.setVisible(bool(parts))

    def _follow(self, link: str) -> None:
        if link == "limits":
            self.limits_wanted.emit()
        else:
            self.measured.emit()

    def _explain(self) -> None:
        if self._check is not None:
            self.explained.emit(self._check.problem)

    def _note(self) -> None:
        text = self.note.text().strip()
        if text:
            self.note.setText("")  # unlike ``clear`` it leaves no way back, which would write the note twice
            self.noted.emit(text)

    def _renew(self) -> None:
        """Draw links and symbols in the colours of another theme."""
        if self._check is not None:
            self._show_rule(self._check)
            self._show_causes(self._check.causes)
            self.steps.renew()
            self._id.show_links(self._link("id", f"{self._check.problem} · F1"))


def _words(role: str, text: str = "") -> QLabel:
    label = QLabel(text, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
    label.setProperty("role", role)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _caps(text: str) -> QLabel:
    label = QLabel(text.upper())
    label.setProperty("role", "pane-title")
    return label


def _whole(amount: str) -> str:
    """An amount that is not broken between its number and its unit."""
    return amount.replace(" ", "\u00a0").replace("/", "\u2060/\u2060")


def _empty(layout: QLayout) -> None:
    while layout.count():
        item = layout.takeAt(0)
        widget = item.widget() if item is not None else None
        if widget is not None:
            widget.hide()
            widget.deleteLater()
