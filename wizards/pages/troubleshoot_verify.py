"""Done, verify: waiting for the change, too early, or what became of it, with numbers before and after."""

from __future__ import annotations

import html
from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from resources.failures import HyperscopeError
from resources.foreign_text import breakable, shown
from sessions.clock import Clock
from sessions.troubleshooting import Verification
from widgets.theme import Theme
from wizards.flows.troubleshooting.detail import VerifyWords, verify_words
from wizards.pages.fact_list import SymbolView

_CARD = {"ok": "ok", "critical": "critical", "warning": "warning"}


class VerifyCard(QFrame):
    """The card. Before the fix it is a button and a sentence.

    Signals: ``wanted`` for Done, verify; ``stopped`` when nobody wants to wait any longer; ``told`` when the
    change was made; ``window_wanted`` and ``session_wanted`` for another later time; ``compared`` for all
    counters before and after; ``put`` to put it into the report; ``asked`` when there begins or ends to be an
    answer; ``answered`` when there is a verdict.
    """

    wanted = Signal()
    stopped = Signal()
    told = Signal()
    window_wanted = Signal()
    session_wanted = Signal()
    compared = Signal()
    put = Signal()
    asked = Signal()
    answered = Signal()

    def __init__(self, theme: Theme, clock: Callable[[], Clock], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._clock = theme, clock
        self._found: Verification | None = None
        self.is_asked = False
        self._symbol = SymbolView(theme)
        self.title = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.title.setProperty("role", "title")
        self._when = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._when.setProperty("role", "muted")
        self.sentence = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.sentence.setProperty("role", "muted")
        self.bar = QProgressBar(maximum=1000, textVisible=False)
        self.bar.setAccessibleName("How much of the time after the change is recorded")
        self._numbers = QLabel(textFormat=Qt.TextFormat.RichText, wordWrap=True)
        self.more = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.more.setProperty("role", "muted")
        self.done = QPushButton("Done, verify")
        self.done.setProperty("role", "primary")
        self.done.setToolTip("The same checks after the change (V)")
        self.done.clicked.connect(self.wanted)
        self.made = QPushButton("I made it")
        self.made.setToolTip("Take it that the change was made: for what no source shows")
        self.made.clicked.connect(self.told)
        self.stop = QPushButton("Stop watching")
        self.stop.setToolTip("Wait no longer; Done, verify begins again")
        self.stop.clicked.connect(self.stopped)
        self.window_button = QPushButton("Other times…")
        self.window_button.setAccessibleName("Judge another time after the change")
        self.window_button.clicked.connect(self.window_wanted)
        self.session_button = QPushButton("Another session…")
        self.session_button.setAccessibleName("Judge another session as the time after the change")
        self.session_button.clicked.connect(self.session_wanted)
        self.all = QPushButton("Compare all")
        self.all.setAccessibleName("Compare all counters before and after the change")
        self.all.clicked.connect(self.compared)
        self.report = QPushButton("Put into report")
        self.report.setToolTip("The report tells of this run: Ctrl+Shift+A")
        self.report.clicked.connect(self.put)
        self._arrange()
        theme.changed.connect(self._dress)
        self._dress()
        self.show_none(can_verify=False)

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._symbol, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.title, 1)
        buttons = QGridLayout()
        buttons.setSpacing(6)
        # I made it is asked before there is an answer, Compare all after it: one place is enough.
        places = ((self.done, 0, 0), (self.made, 0, 1), (self.all, 0, 1))
        for button, row, place in (*places, (self.window_button, 1, 0), (self.session_button, 1, 1)):
            buttons.addWidget(button, row, place)
        buttons.addWidget(self.report, 2, 0)
        buttons.addWidget(self.stop, 2, 0)
        buttons.setColumnStretch(2, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(6)
        column.addLayout(head)
        for part in (self._when, self.sentence, self.bar):
            column.addWidget(part)
        column.addLayout(buttons)  # above the numbers, which can be many: nobody has to scroll for them
        for part in (self._numbers, self.more):
            column.addWidget(part)

    def show_none(self, *, can_verify: bool) -> None:
        """Offer to verify; not where nothing was found."""
        self._found = None
        self._set_card("", is_card=False)
        self._show_parts(head=False, bar=False, numbers=False, more=False)
        self.sentence.setText("You make the change; then the same checks are run again.")
        self.sentence.setVisible(can_verify)
        self.done.setVisible(can_verify)
        self.done.setText("Done, verify")
        for one in (self.made, self.all, self.window_button, self.session_button, self.report, self.stop):
            one.hide()
        self.setVisible(can_verify)

    def show_busy(self) -> None:
        """Say that the checks run again."""
        if self._found is None:
            self._set_card("", is_card=True)
            self._show_parts(head=True, bar=False, numbers=False, more=False)
            self._symbol.show_state("none")
            self.title.setText("Checking again…")
            self.sentence.hide()  # the button stays: hiding it would give the keys to something else
            self.show()

    def show_failure(self, error: HyperscopeError) -> None:
        """Say why it can't be told, and what to try."""
        self._found = None
        self._set_card("warning", is_card=True)
        self._show_parts(head=True, bar=False, numbers=False, more=False)
        self._symbol.show_state("warning")
        self.title.setText(breakable(shown(error.happened, 300)))
        self.sentence.setText(breakable(shown(f"{error.meaning} {error.advice}".strip(), 400)))
        self.sentence.setVisible(bool(self.sentence.text()))
        self._show_buttons(is_done=False)

    def show_found(self, found: Verification) -> None:
        """Show what became of it, or what it waits for."""
        is_new = found.state == "done" and (self._found is None or self._found.state != "done")
        self._found = found
        words = verify_words(found, self._clock())
        self._set_card(_CARD.get(words.state, ""), is_card=True)
        self._symbol.show_state(words.state)
        self.title.setText(breakable(shown(words.title, 200)))
        self._when.setText(breakable(shown(words.when, 200)))
        said = f"{words.sentence} {words.load}".strip()
        self.sentence.setText("\n".join(breakable(shown(one, 800)) for one in (said, words.next) if one))
        if words.part is not None:
            self.bar.setValue(round(words.part * 1000))
        self._numbers.setText(self._table(words))
        more = list(words.changes)
        if words.elsewhere:
            more += ["Worse elsewhere:", *words.elsewhere]
        self.more.setText("\n".join(breakable(shown(one, 2000)) for one in more))
        self._show_parts(head=True, bar=words.part is not None, numbers=bool(words.numbers), more=bool(more))
        self._when.setVisible(bool(words.when))
        self.sentence.show()
        self._show_buttons(is_done=found.state == "done")
        self.setAccessibleName(f"{words.title}. {words.sentence} {words.next}".strip())
        if is_new:
            self.answered.emit()

    def _show_buttons(self, *, is_done: bool) -> None:
        self.done.setVisible(True)
        self.done.setText("Verify again")
        has_change = self._found is not None and self._found.state == "too early"
        self.made.setVisible(not is_done and not has_change)
        self.all.setVisible(is_done and self._found is not None and self._found.after is not None)
        self.report.setVisible(is_done)
        samples = self._found.samples if self._found is not None else None
        self.stop.setVisible(not is_done and samples is not None and samples.is_growing)
        self.window_button.setVisible(True)
        self.session_button.setVisible(True)
        self.show()

    def _show_parts(self, *, head: bool, bar: bool, numbers: bool, more: bool) -> None:
        self._symbol.setVisible(head)
        self.title.setVisible(head)
        self._when.setVisible(False)
        self.bar.setVisible(bar)
        self._numbers.setVisible(numbers)
        self.more.setVisible(more)

    def _set_card(self, state: str, *, is_card: bool) -> None:
        if is_card != self.is_asked:
            self.is_asked = is_card
            self.asked.emit()
        self.setProperty("role", "card" if is_card else "")
        self.setProperty("state", state)
        margin = 12 if is_card else 0
        layout = self.layout()
        if layout is not None:
            layout.setContentsMargins(margin, 10 if is_card else 0, margin, 10 if is_card else 0)
        self.style().unpolish(self)
        self.style().polish(self)

    def _table(self, words: VerifyWords) -> str:
        tokens = self._theme.tokens
        head = "".join(
            f'<td align="{side}" style="color:{tokens.muted}">{text}</td>'
            for side, text in (("left", "What"), ("right", "before"), ("right", "after"), ("right", "change"))
        )
        rows = []
        for one in words.numbers:
            colour = tokens.health(one.state) if one.state in ("ok", "critical") else tokens.muted
            rows.append(
                f"<tr><td>{html.escape(shown(one.what, 100))}</td>"
                f'<td align="right" style="color:{tokens.muted}">&nbsp;{html.escape(one.before)}</td>'
                f'<td align="right">&nbsp;<span style="font-weight:600">{html.escape(one.after)}</span></td>'
                f'<td align="right" style="color:{colour}">&nbsp;{html.escape(one.change)}</td></tr>'
            )
        note = f'<span style="color:{tokens.muted}">~ no real difference</span>'
        has_same = any(one.change == "~" for one in words.numbers)
        table = "".join(rows)
        return (
            f'<table width="100%" cellspacing="0" cellpadding="2"><tr>{head}</tr>{table}</table>'
            f"{note if has_same else ''}"
        )

    def _dress(self) -> None:
        self.done.setIcon(self._theme.icons.get("check", self._theme.tokens.on_accent))
        self.all.setIcon(self._theme.icons.get("compare"))
        self.report.setIcon(self._theme.icons.get("print"))
        if self._found is not None:
            self.show_found(self._found)
