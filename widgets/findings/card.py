"""A finding's card: severity, conclusion, and when unfolded evidence, causes and remedies."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from resources.foreign_text import breakable, shorten_long_words, shown, tooltip_text
from sessions.findings import Finding
from viewmodels.finding_labels import EvidenceLookup, duration_label, followers_label
from widgets.findings.body import CardBody, Unfolded, text_label
from widgets.keys import KeyHandlers, KeyRow
from widgets.theme import SYMBOLS, Theme

KEYS = (
    KeyRow("show", "Show the finding's evidence in the charts", ("Return", "Ctrl+Return")),
    KeyRow("open", "Unfold or fold the finding", ("Space",)),
    KeyRow("follow", "Show or hide what follows from it", ("Right", "Left")),
)
_INDENT = 16
_RADIUS = 8
_LONGEST_TIME = "88 min 88 s"
"""A renewed card keeps room for it: else its title wraps otherwise, and buttons move under the mouse."""
_ONCE_LATER = Qt.ConnectionType(
    Qt.ConnectionType.QueuedConnection.value | Qt.ConnectionType.UniqueConnection.value
)


class FindingCard(QFrame):
    """The card of one finding.

    Signals: ``toggled`` with the card when the user unfolds or folds it; ``wanted`` with the finding when
    "Show me" is pressed; ``unfolded`` with the card and True or False when its consequences are to be shown
    or hidden.
    """

    toggled = Signal(object)
    wanted = Signal(object)
    unfolded = Signal(object, bool)

    def __init__(
        self, finding: Finding, lookup: EvidenceLookup, theme: Theme, *, is_consequence: bool = False
    ) -> None:
        super().__init__()
        self.finding = finding
        self._lookup, self._theme, self.is_consequence = lookup, theme, is_consequence
        self._followers = 0
        self._body: CardBody | None = None
        self._keys = KeyHandlers(
            KEYS,
            {
                "open": lambda _key: self._toggle(),
                "follow": lambda key: self.show_followers(key == "Right"),
                "show": lambda _key: self.wanted.emit(self.finding),
            },
        )
        self._kept = Unfolded()
        self._is_pressed = False
        self.setProperty("role", "card")
        if is_consequence:
            self.setStyleSheet(f"FindingCard {{ margin-left: {_INDENT}px }}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._symbol = QLabel()
        self._symbol.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._title = text_label("", "title")
        self._title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._time = text_label("", "muted", wrap=False)
        self._time.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
        self._conclusion = text_label("", "muted")
        self._follow = QPushButton()
        self._follow.setCheckable(True)
        self._follow.setProperty("role", "ghost")
        self._follow.setStyleSheet("padding: 1px 4px 1px 0; text-align: left; font-size: 12px")
        self._follow.clicked.connect(self._fold_followers)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._symbol)
        head.addWidget(self._title, 1)
        head.addWidget(self._time)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12 + (_INDENT if is_consequence else 0), 10, 12, 10)
        self._column.setSpacing(6)
        self._column.addLayout(head)
        self._column.addWidget(self._conclusion)
        self._column.addWidget(self._follow, 0, Qt.AlignmentFlag.AlignLeft)
        theme.changed.connect(self._dress)
        self._update_texts()

    @property
    def is_open(self) -> bool:
        """True if evidence and causes are shown."""
        return self._body is not None

    @property
    def shows_followers(self) -> bool:
        """True if the consequences are shown below the card."""
        return self._follow.isChecked()

    @property
    def tab_stops(self) -> list[QWidget]:
        """Return the widgets of the card that Tab visits, top to bottom."""
        return [self, self._follow, *(self._body.tab_stops() if self._body is not None else ())]

    def renew(self, finding: Finding, followers: int, *, shows_followers: bool) -> None:
        """Show the newer finding of the same problem and entity; unchanged parts are kept."""
        if shows_followers != self.shows_followers:
            self._follow.setChecked(shows_followers)
            self._follow.setText(followers_label(self._followers, unfolded=shows_followers))
        if finding == self.finding and followers == self._followers:
            return
        self.finding, self._followers = finding, followers
        self._time.setMinimumWidth(self._time.fontMetrics().horizontalAdvance(_LONGEST_TIME))
        self._update_texts()
        self._renew_body()

    def set_open(self, on: bool) -> None:
        """Unfold or fold the card."""
        if on == self.is_open:
            return
        if on:
            self._add_body()
        else:
            self._drop_body()
        self._update_state()

    def show_followers(self, on: bool) -> None:
        """Show or hide the consequences, as if the user had pressed the button."""
        if self._followers and on != self.shows_followers:
            self._follow.setChecked(on)
            self._fold_followers(on)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Begin a click on the card."""
        self._is_pressed = event.button() == Qt.MouseButton.LeftButton

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Unfold or fold the card on a click."""
        was_pressed, self._is_pressed = self._is_pressed, False
        if was_pressed and self.rect().contains(event.position().toPoint()):
            self._toggle()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Handle the keys of a card."""
        if not self._keys.press(event):
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the card, with a frame while it has the focus."""
        super().paintEvent(event)
        if not self.hasFocus():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.tokens.accent), 2))
        left = _INDENT if self.is_consequence else 0
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(left + 1, 1, -1, -1), _RADIUS, _RADIUS)

    def _toggle(self) -> None:
        self.set_open(not self.is_open)
        self.toggled.emit(self)

    def _add_body(self) -> None:
        self._body = CardBody(self.finding, self._lookup, self._kept)
        self._body.wanted.connect(lambda: self.wanted.emit(self.finding))
        self._column.addWidget(self._body)
        self._body.show()
        for before, after in pairwise(self.tab_stops):
            self.setTabOrder(before, after)
        self._body.take_focus(self._kept.focus)

    def _renew_body(self) -> None:
        """Show the finding's newer numbers; while a button is held down, after its release: a new one in its
        place would not know that it was pressed.
        """
        if self._body is None:
            return
        held = next((one for one in self._body.findChildren(QPushButton) if one.isDown()), None)
        if held is not None:
            held.released.connect(self._renew_body, _ONCE_LATER)
            return
        self._drop_body()
        self._add_body()

    def _drop_body(self) -> None:
        if self._body is not None:
            self._kept = self._body.unfolded
            self._column.removeWidget(self._body)
            self._body.hide()
            self._body.deleteLater()
            self._body = None

    def _fold_followers(self, on: bool) -> None:
        self._follow.setText(followers_label(self._followers, unfolded=on))
        self.unfolded.emit(self, on)

    def _update_texts(self) -> None:
        finding = self.finding
        self.setAccessibleName(f"{finding.severity}: {shown(finding.title)}, {shown(finding.entity_name)}")
        self._symbol.setText(SYMBOLS[finding.severity])
        title = shown(f"{finding.title}: {finding.entity_name}", 600)
        self._title.setText(shorten_long_words(title))
        self._title.setToolTip(tooltip_text(title) if shorten_long_words(title) != title else "")
        self._time.setText(duration_label(finding) if finding.severity != "info" else "info")
        self._conclusion.setText(breakable(shown(finding.conclusion, 600)))
        self._follow.setText(followers_label(self._followers, unfolded=self._follow.isChecked()))
        self._follow.setAccessibleName(
            f"What follows from {shown(finding.title)}, {shown(finding.entity_name)}"
        )
        self._follow.setVisible(self._followers > 0)
        self._update_state()
        self._dress()

    def _update_state(self) -> None:
        state = "unfolded" if self.is_open else "folded"
        self.setAccessibleDescription(f"{state}. {shown(self.finding.conclusion, 600)}")
        wanted = self.finding.severity if self.is_open else ""
        if self.property("state") != wanted:
            self.setProperty("state", wanted)
            self.style().polish(self)

    def _dress(self) -> None:
        colour = self._theme.tokens.health(self.finding.severity)
        self._symbol.setStyleSheet(f"color: {colour}")
