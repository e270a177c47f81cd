"""The rail of a test: its five steps with what was chosen in each, where the inventory stands otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from resources.foreign_text import shown
from widgets.theme import Theme
from widgets.theme.tokens import mix_colours
from wizards.flows.steps import STEPS, TITLES, Step
from wizards.pages.fonts import sized

_LINE, _TITLE, _DISC, _PAD, _GAP = 16, 18, 20, 12, 10


class StepsView(QWidget):
    """The steps, painted. ``chosen`` carries the id of the step that is clicked or entered by keys."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._steps: tuple[Step, ...] = ()
        self._shown = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Steps of the test")
        theme.changed.connect(self.update)

    def show_steps(self, steps: Sequence[Step], shown_step: str) -> None:
        """Show the steps; ``shown_step`` is the one whose page is on the right."""
        self._steps, self._shown = tuple(steps), shown_step
        said = "; ".join(f"{TITLES[one.id]}, {one.state}: {', '.join(one.lines)}" for one in steps)
        self.setAccessibleDescription(said)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the height that the steps take."""
        return QSize(268, sum(_height(one) for one in self._steps))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Return the same as ``sizeHint``, in a smaller width."""
        return QSize(120, self.sizeHint().height())

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Go to the step under the mouse."""
        step = self._at(event.pos())
        if step is not None and step.is_open and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(step.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Up and Down go to the step before or after."""
        way = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        ids = [one.id for one in self._steps if one.is_open]
        if way and self._shown in ids and 0 <= ids.index(self._shown) + way < len(ids):
            self.chosen.emit(ids[ids.index(self._shown) + way])
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint each step: a disc with its number or sign, its title, its lines."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top = 0
        for step in self._steps:
            number = STEPS.index(step.id)
            self._paint(painter, QRect(0, top, self.width(), _height(step)), number, step)
            top += _height(step)

    def _paint(self, painter: QPainter, area: QRect, number: int, step: Step) -> None:
        tokens, is_shown = self._theme.tokens, step.id == self._shown
        if is_shown:
            painter.fillRect(area, QColor(tokens.tints()["selected"]))
            painter.fillRect(QRect(area.left(), area.top(), 2, area.height()), QColor(tokens.accent))
        disc = QRectF(_PAD, area.top() + 9, _DISC, _DISC)
        rim, fill, ink = {
            "done": (tokens.ok, mix_colours(tokens.surface1, tokens.ok, 0.12), tokens.ok),
            "blocked": (
                tokens.critical,
                mix_colours(tokens.surface1, tokens.critical, 0.12),
                tokens.critical,
            ),
            "current": (tokens.accent, tokens.accent, tokens.on_accent),
            "waiting": (tokens.line, tokens.surface2, tokens.muted),
        }[step.state]
        painter.setPen(QPen(QColor(rim), 1))
        painter.setBrush(QColor(fill))
        painter.drawEllipse(disc)
        painter.setPen(QColor(ink))
        painter.setFont(sized(self.font(), 11, bold=True))
        sign = {"done": "✓", "blocked": "!"}.get(step.state, str(number + 1))
        painter.drawText(disc, int(Qt.AlignmentFlag.AlignCenter), sign)
        left = _PAD + _DISC + _GAP
        room = QRect(left, area.top() + 9, area.width() - left - _PAD, _TITLE)
        painter.setFont(sized(self.font(), 13, bold=step.state != "waiting"))
        painter.setPen(QColor(tokens.muted if step.state == "waiting" else tokens.text))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), TITLES[step.id])
        painter.setFont(sized(self.font(), 12))
        painter.setPen(QColor(tokens.muted))
        for line, text in enumerate(step.lines):
            where = QRect(left, area.top() + 9 + _TITLE + 2 + line * _LINE, room.width(), _LINE)
            elided = painter.fontMetrics().elidedText(shown(text), Qt.TextElideMode.ElideRight, where.width())
            painter.drawText(where, int(Qt.AlignmentFlag.AlignVCenter), elided)
        if is_shown and self.hasFocus():
            painter.setPen(QPen(QColor(tokens.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(area.adjusted(0, 0, -1, -1))

    def _at(self, at: QPoint) -> Step | None:
        top = 0
        for step in self._steps:
            top += _height(step)
            if at.y() < top:
                return step
        return None


def _height(step: Step) -> int:
    return 9 + max(_DISC, _TITLE + 2 + len(step.lines) * _LINE) + 9
