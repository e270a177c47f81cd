"""The symptom as a sentence of buttons, each of which opens a menu: who, what was noticed, since when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QStyle, QWidget

from resources.foreign_text import shorten_long_words, shown, tooltip_text
from widgets.context_menu import Entries, make_menu
from widgets.elided_label import ElidedLabel
from widgets.theme import Theme

Part = Literal["entity", "noticed", "since", "until", "normal", "runs"]
_NAME, _NARROW = 26, 1060
_ICON_ROOM = 8
"""Pixels that an icon has more than it needs, half of them before the text: they touched."""
_NAMES: dict[Part, str] = {
    "entity": "Who has the symptom",
    "noticed": "What was noticed",
    "since": "Since when",
    "until": "Until when",
    "normal": "When all was well",
    "runs": "Earlier runs",
}


@dataclass(frozen=True, slots=True)
class SymptomWords:
    """The sentence: ``icon`` is that of the entity's kind, ``judged`` says how far it was judged, ``took``
    how long that took, where there is room.
    """

    icon: str
    entity: str
    noticed: str
    since: str
    until: str
    normal: str
    judged: str
    took: str = ""


class SymptomBar(QFrame):
    """Signals: ``menu_wanted`` with the part of the sentence whose menu is to be opened; ``again``;
    ``instead_wanted`` when who is offered is to be looked into.
    """

    menu_wanted = Signal(str)
    again = Signal()
    instead_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = "vm"
        self.setProperty("role", "bar")
        self.buttons: dict[Part, QPushButton] = {part: QPushButton() for part in _NAMES}
        for part, button in self.buttons.items():
            button.clicked.connect(lambda _on=False, part=part: self.menu_wanted.emit(part))
        self.buttons["normal"].setProperty("role", "ghost")
        self.buttons["runs"].setText("Earlier runs")
        self.judged = ElidedLabel()
        self.judged.setProperty("role", "muted")
        self.judged.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.renew = QPushButton("Check again")
        self.renew.setToolTip("Check again, up to now (R)")
        self.renew.clicked.connect(self.again)
        self.instead = QPushButton()
        self.instead.setProperty("role", "ghost")
        self.instead.clicked.connect(self.instead_wanted)
        self.instead.hide()
        self._is_offered = False
        self._words = [QLabel(text) for text in ("is", "since", "until", "normal was")]
        for one in self._words:
            one.setProperty("role", "muted")
        self._arrange()
        theme.changed.connect(self._dress)
        self._dress()

    def _arrange(self) -> None:
        is_, since, until, normal = self._words
        self._sentence = QWidget()
        row = QHBoxLayout(self._sentence)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        buttons = self.buttons
        for one in (
            buttons["entity"], is_, buttons["noticed"], since, buttons["since"], until, buttons["until"],
        ):  # fmt: skip
            row.addWidget(one)
        row.addWidget(self.instead)
        row.addStretch(1)
        self._rest = QWidget()
        acts = QHBoxLayout(self._rest)
        acts.setContentsMargins(0, 0, 0, 0)
        acts.setSpacing(8)
        acts.addWidget(normal)
        acts.addWidget(buttons["normal"])
        acts.addWidget(self.judged, 1)
        acts.addWidget(self.renew)
        acts.addWidget(buttons["runs"])
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(16, 8, 16, 8)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(6)
        self._grid.addWidget(self._sentence, 0, 0)
        self._grid.addWidget(self._rest, 0, 1)
        self._grid.setColumnStretch(1, 1)

    def show_words(self, words: SymptomWords) -> None:
        """Show the sentence."""
        self._icon = words.icon
        said: dict[Part, str] = {
            "entity": words.entity,
            "noticed": words.noticed,
            "since": words.since,
            "until": words.until,
            "normal": words.normal,
        }
        for part, text in said.items():
            button = self.buttons[part]
            short = shown(shorten_long_words(text), _NAME) if part == "entity" else text
            button.setText(short.replace("&", "&&"))
            button.setAccessibleName(f"{_NAMES[part]}: {shown(text)}")
            button.setToolTip(tooltip_text(text if part == "entity" else _NAMES[part]))
        self.judged.show_text(f"{words.judged}{words.took}", short=words.judged)
        self._dress()
        self._place()

    def offer(self, name: str) -> None:
        """Offer to look into somebody else, who is shown everywhere else, where there is room for that;
        empty: nobody.
        """
        self.instead.setText(f"Check {shown(shorten_long_words(name), _NAME)} instead".replace("&", "&&"))
        self.instead.setToolTip(tooltip_text(f"{name} is what the other pages show"))
        self._is_offered = bool(name)
        self._place()

    def show_runs(self, count: int) -> None:
        """Say how many earlier runs there are."""
        button = self.buttons["runs"]
        button.setText(f"Earlier runs ({count})" if count else "Earlier runs")
        button.setEnabled(bool(count))
        button.setToolTip("" if count else "No run is kept in this session yet")
        self._place()

    def popup(self, part: Part, entries: Entries) -> None:
        """Open a menu under a button."""
        button = self.buttons[part]
        menu = make_menu(entries, self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(button.mapToGlobal(QPoint(0, button.height() + 2)))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Put the second half below the sentence where there is no room beside it."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        """Put the second half where it is seen whole."""
        margins = self._grid.contentsMargins()
        room = self.width() - margins.left() - margins.right()
        self.instead.setVisible(self._is_offered)
        if self._sentence.minimumSizeHint().width() > room:
            self.instead.hide()
        asked = self._sentence.sizeHint().width() + self._rest.minimumSizeHint().width()
        asked += margins.left() + margins.right() + self._grid.horizontalSpacing()
        below = self.width() < max(_NARROW, asked)
        at = self._grid.getItemPosition(self._grid.indexOf(self._rest))
        if (at[0] == 1) != below:  # type: ignore[index]
            self._grid.removeWidget(self._rest)
            self._grid.addWidget(self._rest, 1 if below else 0, 0 if below else 1, 1, 2 if below else 1)

    def _dress(self) -> None:
        icons = self._theme.icons
        self.buttons["entity"].setIcon(icons.get(self._icon))
        for part in ("noticed", "until"):
            self.buttons[part].setIcon(icons.get("down"))
            self.buttons[part].setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.buttons["since"].setIcon(icons.get("timeline"))
        self.buttons["runs"].setIcon(icons.get("jobs"))
        self.renew.setIcon(icons.get("refresh"))
        for button in (*self.buttons.values(), self.renew):
            side = self.style().pixelMetric(QStyle.PixelMetric.PM_ButtonIconSize)
            button.setIconSize(QSize(side + _ICON_ROOM, side))
