"""The head of the findings pane: what was judged, up to when, and what was not."""

from __future__ import annotations

import html
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import breakable, shown
from viewmodels.verdict_words import VerdictWords, sentence_of
from widgets.theme import SYMBOLS, Theme

_LONGEST = 600
_BETWEEN_LINES = 4
_MOST_DETAILS, _LEAST_DETAILS, _MOST_SHARE = 260, 60, 0.4
"""Pixels of the details at most, and their share of the pane, which the findings need, too; what is longer
scrolls.
"""
_AROUND = 80
"""Pixels above and below the details in a pane without findings, where these leave them all the rest."""

_REACH = "padding: 1px 4px 1px 0; text-align: left; font-size: 12px;"


class VerdictHead(QWidget):
    """Shows a verdict: its title only where there are no cards that say it; a button unfolds the details.

    Signal: ``explain_wanted`` with the problem of a check that was clicked.
    """

    explain_wanted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._words: VerdictWords | None = None
        self._has_cards = False
        self._pane = round(_MOST_DETAILS / _MOST_SHARE)
        self._symbol = QLabel()
        self._title = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._title.setProperty("role", "title")
        self._reach = QPushButton()
        self._reach.setObjectName("reach")
        self._reach.setProperty("role", "ghost")
        self._reach.setCheckable(True)
        self._reach.setToolTip("What was judged with which numbers, and what was not")
        self._reach.toggled.connect(self._dress)
        self._details = QLabel(textFormat=Qt.TextFormat.RichText, wordWrap=True)
        self._plain = ""
        self._details.setProperty("role", "muted")
        self._details.setStyleSheet("font-size: 12px")
        self._details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._checks = _Checks()
        self._checks.linkActivated.connect(self.explain_wanted)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._symbol, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._title, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 2, 12, 6)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self._reach, 0, Qt.AlignmentFlag.AlignLeft)
        self._unfolded = _Unfolded(self._details, self._checks)
        column.addWidget(self._unfolded)
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def text(self) -> str:
        """Everything that the head says now, for screen readers."""
        parts = (self._symbol, self._title, self._reach)
        texts = [part.text() for part in parts if not part.isHidden() and part.text()]
        details = [] if self._details.isHidden() or not self._plain else [self._plain]
        return "\n".join([*texts, *details, *([] if self._checks.isHidden() else [self._checks.plain])])

    def show_words(self, words: VerdictWords | None, *, has_cards: bool) -> None:
        """Show a verdict; None hides the head."""
        if words != self._words or has_cards != self._has_cards:
            self._words, self._has_cards = words, has_cards
            self._limit()
            self._dress()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Take no more of the pane than leaves the findings below enough of it."""
        if isinstance(event, QResizeEvent) and watched is self.parent():
            self._pane = event.size().height()
            self._limit()
        return super().eventFilter(watched, event)

    def _limit(self) -> None:
        with_cards = min(_MOST_DETAILS, int(self._pane * _MOST_SHARE))
        most = max(_LEAST_DETAILS, with_cards if self._has_cards else self._pane - _AROUND)
        least = most if self._has_cards else _LEAST_DETAILS  # else the pane could not be made low again
        if (most, least) != (self._unfolded.most, self._unfolded.least):
            self._unfolded.most, self._unfolded.least = most, least
            self._unfolded.fit()

    def _dress(self) -> None:
        words = self._words
        self.setVisible(words is not None)
        if words is None:
            return
        is_judged = bool(words.covered)
        is_title_shown = not (is_judged and self._has_cards)
        for part in (self._symbol, self._title):
            part.setVisible(is_title_shown)
        self._symbol.setText(SYMBOLS[words.health])
        self._symbol.setStyleSheet(f"color: {self._theme.tokens.health(words.health)}")
        self._title.setText(shown(words.title, _LONGEST))
        lines = [sentence_of(words.covered) if is_judged else words.reason, *words.left_out]
        is_folded = not is_title_shown and not self._reach.isChecked()
        self._checks.show_checks(words.checks, words.checked, self._theme.tokens.accent)
        self._checks.setVisible(is_judged and self._reach.isChecked() and bool(words.checks))
        if not self._checks.isHidden():
            lines.append(words.checks_of)
        can_fold = not is_title_shown or bool(is_judged and words.checks)
        caret = ("▾ " if self._reach.isChecked() else "▸ ") if can_fold else ""
        self._reach.setText(caret + shown(words.reach, _LONGEST))
        self._reach.setVisible(is_judged)
        self._reach.setEnabled(bool(caret))
        # These are words to read, also where there is nothing to unfold.
        off = f"QPushButton:disabled {{ color: {self._theme.tokens.muted}; }}"
        self._reach.setStyleSheet(f"QPushButton {{ {_REACH} }} {off}")
        told = [breakable(shown(line, _LONGEST)) for line in lines if line]
        self._plain = "\n".join(told)
        self._details.setText(_paragraphs([html.escape(line) for line in told]))
        self._details.setVisible(any(lines) and not is_folded)
        self._unfolded.fit()
        self.setAccessibleName(" ".join(words.sentences))


class _Unfolded(QScrollArea):
    """The details below the verdict: as high as they are, up to a height from which on they scroll."""

    def __init__(self, *labels: QLabel) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.most = self.least = self._wanted = _MOST_DETAILS
        self._labels = labels
        self._lay_out = QTimer(self, singleShot=True, interval=0)
        self._lay_out.timeout.connect(self._place)
        body = QWidget()
        self._column = column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for label in labels:
            column.addWidget(label)
        column.addStretch(1)
        self.setWidget(body)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def fit(self) -> None:
        """Take the height of what is shown now."""
        visible = [one for one in self._labels if not one.isHidden()]
        self.setVisible(bool(visible))
        width = max(self.viewport().width(), 1)
        height = sum(one.heightForWidth(width) for one in visible) + 4 * max(len(visible) - 1, 0)
        policy = Qt.ScrollBarPolicy
        is_high = height > self.most
        self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOn if is_high else policy.ScrollBarAlwaysOff)
        self._wanted = min(height, self.most)
        self.setMinimumHeight(min(self._wanted, self.least))
        self.setMaximumHeight(self._wanted)
        self.updateGeometry()
        self._lay_out.start()

    def sizeHint(self) -> QSize:  # noqa: N802
        """As high as what is shown; less where the window has no room for it."""
        return QSize(super().sizeHint().width(), self._wanted)

    def _place(self) -> None:
        """Lay the labels out at the width that the scroll bar leaves: Qt keeps the one before it came."""
        self._column.invalidate()
        self._column.activate()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Lines wrap elsewhere at another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()


class _Checks(QLabel):
    """A line for each check, which begins with a link to what is known of its problem."""

    def __init__(self) -> None:
        super().__init__(textFormat=Qt.TextFormat.RichText, wordWrap=True)
        self.plain = ""
        self.setProperty("role", "muted")
        self.setStyleSheet("font-size: 12px")
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(
            flags.TextSelectableByMouse | flags.LinksAccessibleByMouse | flags.LinksAccessibleByKeyboard
        )

    def show_checks(self, checks: Sequence[str], problems: Sequence[str], colour: str) -> None:
        """Show sentences that begin with the title of their problem and a colon."""
        lines = [breakable(shown(line, _LONGEST)) for line in checks]
        if "\n".join(lines) == self.plain and colour in self.text():
            return
        self.plain = "\n".join(lines)
        rich = []
        for line, problem in zip(lines, [*problems, *[""] * (len(lines) - len(problems))], strict=True):
            title, colon, rest = line.partition(":")
            link = f'<a href="{html.escape(problem)}" style="color: {colour}">{html.escape(title)}</a>'
            rich.append(f"{link if problem else html.escape(title)}{colon}{html.escape(rest)}")
        self.setText(_paragraphs(rich))


def _paragraphs(lines: Sequence[str]) -> str:
    """Lines of markup with room between them: without it they are one block, in which no line is found."""
    return "".join(f'<p style="margin: 0 0 {_BETWEEN_LINES}px 0">{line}</p>' for line in lines)
