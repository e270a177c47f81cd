"""The head of a chart card: title, unit, legend, and the button that closes the chart."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QToolButton, QWidget

from resources.foreign_text import shown, tooltip_text
from widgets.charts.legend import Legend
from widgets.eliding import NameElider
from widgets.theme.icons import Icons

_GAP, _GAPS = 12, 3
"""Pixels between columns, and their number: a legend below spans all, also that of a hidden button."""
_GRIP = 16
_MARGINS = 12, 6, 8, 0


class ChartHead(QGridLayout):
    """Puts the legend beside the title if it fits there completely, else below.

    ``titles`` holds the titles of all charts beside it, from which a shortened one is told apart.
    """

    def __init__(self, legend: Legend) -> None:
        super().__init__()
        self.legend = legend
        self._legend_below = False
        self._full_title = ""
        self.titles = NameElider()
        self.grip = QLabel()
        self.grip.setCursor(Qt.CursorShape.OpenHandCursor)
        self.grip.setToolTip("Drag the chart to another place (Alt+Up, Alt+Down)")
        self._title = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._title.setProperty("role", "title")
        self._note = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._note.setProperty("role", "muted")
        self.close_button = QToolButton()
        self.close_button.setProperty("role", "ghost")
        self.close_button.setStyleSheet("padding: 0; min-height: 16px; max-height: 18px;")
        self.setContentsMargins(*_MARGINS)
        self.setHorizontalSpacing(_GAP)
        self.setVerticalSpacing(2)
        self.setColumnStretch(2, 1)
        self.addLayout(self._titled(), 0, 0)
        self.addWidget(self._note, 0, 1)
        self.addWidget(legend, 0, 2, Qt.AlignmentFlag.AlignRight)
        self.addWidget(self.close_button, 0, 3)

    @property
    def title(self) -> str:
        """The title as it is shown, shortened if there is not enough room."""
        return self._title.text()

    @property
    def note(self) -> str:
        """The text beside the title: unit and note."""
        return self._note.text()

    def set_icons(self, icons: Icons) -> None:
        """Show the icons of a theme."""
        self.close_button.setIcon(icons.get("close"))
        self.grip.setPixmap(icons.get("grip").pixmap(_GRIP, _GRIP))

    @property
    def handles(self) -> tuple[QWidget, QWidget]:
        """The widgets by which the chart is dragged to another place."""
        return self.grip, self._title

    def _titled(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.grip)
        row.addWidget(self._title)
        return row

    def set_title(self, title: str) -> None:
        """Set the chart's title."""
        self._full_title = shown(title)
        self._title.setText(self._full_title)
        self.close_button.setAccessibleName(f"Close the chart {title}")

    def set_note(self, note: str) -> None:
        """Set the text beside the title: the unit, and what the numbers are per."""
        self._note.setText(note)

    def arrange(self, width: int, *, has_legend: bool) -> None:
        """Lay out the head for ``width`` pixels: shorten the title, put the legend beside or below it."""
        metrics = self._title.fontMetrics()
        inner = width - _MARGINS[0] - _MARGINS[2]
        close = 0 if self.close_button.isHidden() else self.close_button.sizeHint().width()
        grip = 0 if self.grip.isHidden() else _GRIP
        left = inner - grip - close - self._note.sizeHint().width() - _GAPS * _GAP
        room = min(left, metrics.horizontalAdvance(self._full_title) + 2)
        text_room = room - 1  # a label takes a pixel more than its text
        self._title.setText(self.titles.elided(self._full_title, text_room, metrics))
        self._title.setToolTip(tooltip_text(self._full_title))
        self.legend.setVisible(has_legend)
        if has_legend:
            self._place_legend(below=bool(self.legend.entries) and not self.legend.fits_in(left - room))
            self.legend.fit(inner if self._legend_below else left - room)

    def _place_legend(self, *, below: bool) -> None:
        if below == self._legend_below:
            return
        self._legend_below = below
        self.removeWidget(self.legend)
        if below:
            self.addWidget(self.legend, 1, 0, 1, 4, Qt.AlignmentFlag.AlignLeft)
        else:
            self.addWidget(self.legend, 0, 2, Qt.AlignmentFlag.AlignRight)
