"""The steps of a path in one line; each can be clicked, and long names are shortened, not cut off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from widgets.eliding import elided_name
from widgets.theme import Theme

_JOINTS = {"": "", "›": " › ", "on": " on ", ",": ", "}
_MIN_STEP = 44
_MIN_WIDTH = 90


@dataclass(frozen=True, slots=True)
class Step:
    """A step: what stands before it (``›``, ``on``, ``,``), and its text."""

    joint: str
    text: str


class PathView(QWidget):
    """Draws the steps; ``picked`` carries the number of a step that was clicked, −1 for beside them."""

    picked = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._steps: Sequence[Step] = ()
        self._hovered = -1
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        theme.changed.connect(self.update)

    def show_steps(self, steps: Sequence[Step]) -> None:
        """Show these steps."""
        if steps != self._steps:
            self._steps = tuple(steps)
            self._hovered = -1
            self.updateGeometry()
            self.update()

    @property
    def text(self) -> str:
        """The whole path as text."""
        return "".join(f"{_JOINTS[step.joint]}{step.text}" for step in self._steps)

    def place_of(self, number: int) -> QPoint:
        """Return the middle of a step."""
        return self._boxes()[number][0].center()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the width of the whole path."""
        width = sum(self._width(step.joint, step.text) for step in self._steps)
        return QSize(width + 2, 24)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Return room for a shortened path."""
        return QSize(min(self.sizeHint().width(), _MIN_WIDTH), 24)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw the steps; the one under the mouse is underlined."""
        painter = QPainter(self)
        tokens = self._theme.tokens
        for number, (box, step, text) in enumerate(self._boxes()):
            joint = _JOINTS[step.joint]
            if joint:
                painter.setFont(self.font())
                painter.setPen(QColor(tokens.muted))
                width = self.fontMetrics().horizontalAdvance(joint)
                before = QRect(box.left() - width, box.top(), width, box.height())
                painter.drawText(before, Qt.AlignmentFlag.AlignVCenter, joint)
            font = self._bold()
            font.setUnderline(number == self._hovered and number < len(self._steps) - 1)
            painter.setFont(font)
            painter.setPen(QColor(tokens.accent if font.underline() else tokens.text))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Underline the step under the mouse."""
        at = self._step_at(event.position().toPoint())
        if at != self._hovered:
            self._hovered = at
            is_link = 0 <= at < len(self._steps) - 1
            self.setCursor(Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.IBeamCursor)
            self.setToolTip(f"Look at all of {self._steps[at].text}" if is_link else "")
            self.update()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """Underline nothing."""
        self._hovered = -1
        self.update()
        super().leaveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Emit ``picked``."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.picked.emit(self._step_at(event.position().toPoint()))

    def _step_at(self, place: QPoint) -> int:
        return next((at for at, (box, _, _) in enumerate(self._boxes()) if box.contains(place)), -1)

    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def _width(self, joint: str, text: str) -> int:
        bold = QFontMetrics(self._bold())
        return self.fontMetrics().horizontalAdvance(_JOINTS[joint]) + bold.horizontalAdvance(text) + 1

    def _boxes(self) -> list[tuple[QRect, Step, str]]:
        """Return the place and the text of each step; the longest are shortened until all fit."""
        plain, bold = self.fontMetrics(), QFontMetrics(self._bold())
        joints = [plain.horizontalAdvance(_JOINTS[step.joint]) for step in self._steps]
        widths = [bold.horizontalAdvance(step.text) + 1 for step in self._steps]
        room = self.width() - sum(joints)
        while sum(widths) > room and max(widths, default=0) > _MIN_STEP:
            longest = widths.index(max(widths))
            too_much = sum(widths) - room
            others = max((width for at, width in enumerate(widths) if at != longest), default=0)
            widths[longest] = max(_MIN_STEP, widths[longest] - too_much, min(others, widths[longest] - 1))
        boxes: list[tuple[QRect, Step, str]] = []
        x = 0
        for step, joint, width in zip(self._steps, joints, widths, strict=True):
            x += joint
            boxes.append((QRect(x, 0, width, self.height()), step, elided_name(step.text, width, bold)))
            x += width
        return boxes
