"""Small buttons over a plot that zoom in time and in values, for whom wheel and keys are not at hand."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer
from PySide6.QtWidgets import QBoxLayout, QFrame, QToolButton, QWidget

from widgets.charts.drawing import PlotDrawing
from widgets.charts.navigation import STEP, Navigation
from widgets.theme import Theme

_SIZE = 18
_ICON = 12
_MARGIN = 6


class _Buttons(QFrame):
    """A row or column of three buttons: closer, wider, fit. ``name`` begins their object names."""

    def __init__(self, name: str, direction: QBoxLayout.Direction, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = name
        self.setProperty("role", "zoom")
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self._box = QBoxLayout(direction, self)
        self._box.setContentsMargins(1, 1, 1, 1)
        self._box.setSpacing(0)
        self.hide()

    def add(self, icon: str, what: str, act: Callable[[], object]) -> QToolButton:
        """Add a button with an icon's name; ``what`` is its tooltip."""
        button = QToolButton(self)
        button.setObjectName(f"{self._name}-{icon}")
        button.setProperty("role", "zoom")
        button.setProperty("meaning", icon)
        button.setFixedSize(_SIZE, _SIZE)
        button.setIconSize(QSize(_ICON, _ICON))
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the plot has the same as keys
        button.setAutoRepeat(icon != "expand")
        button.setToolTip(what)
        button.setAccessibleName(what)
        button.clicked.connect(lambda _checked=False: act())
        self._box.addWidget(button)
        return button


class ZoomControls(QObject):
    """The buttons of a plot: for values at the lower left, beside them those for time: the words of limits
    stand at the right.

    They are there while the pointer is over the plot or the plot has the focus. The button that fits the
    values stays, in the accent colour, as long as the value axis is zoomed.
    """

    def __init__(self, plot: QWidget, drawing: PlotDrawing, navigation: Navigation, theme: Theme) -> None:
        super().__init__(plot)
        self._plot, self._drawing, self._theme = plot, drawing, theme
        self.time = _Buttons("time", QBoxLayout.Direction.LeftToRight, plot)
        self.time.add("remove", "Longer time (−, or Ctrl+wheel)", lambda: navigation.zoom(STEP))
        self.time.add("add", "Shorter time (+, or Ctrl+wheel)", lambda: navigation.zoom(1 / STEP))
        self.time.add("expand", "The whole session (0, or double click)", navigation.fit)
        self.values = _Buttons("values", QBoxLayout.Direction.TopToBottom, plot)
        self.values.add(
            "add", "Zoom the values in (Shift+Up, or Shift+wheel)", lambda: navigation.zoom_values(1 / STEP)
        )
        self.values.add(
            "remove", "Zoom the values out (Shift+Down, or Shift+wheel)", lambda: navigation.zoom_values(STEP)
        )
        self._fit = self.values.add(
            "expand", "Fit the values (Y, or double click on the axis)", navigation.fit_values
        )
        self._is_over = False
        self._soon = QTimer(self, singleShot=True, interval=0)  # a plot that closes tells that it is left
        self._soon.timeout.connect(self.renew)
        drawing.pin.when_moved(self._place)
        plot.installEventFilter(self)
        theme.changed.connect(self.dress)
        self.dress()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002, N802
        """Watch pointer and focus of the plot."""
        kind = event.type()
        if kind in {QEvent.Type.Enter, QEvent.Type.Leave}:
            self._is_over = kind == QEvent.Type.Enter
        if kind in {QEvent.Type.Enter, QEvent.Type.Leave, QEvent.Type.FocusIn, QEvent.Type.FocusOut}:
            self._soon.start()
        return False

    def renew(self) -> None:
        """Show or hide the buttons, now that pointer, focus or the value axis have changed."""
        wanted = self._is_over or self._plot.hasFocus()
        zoomed = self._drawing.scale.is_zoomed
        for button in self.values.findChildren(QToolButton):
            button.setVisible(wanted or button is self._fit)
        self.time.setVisible(wanted)
        self.values.setVisible(wanted or zoomed)
        self._fit.setIcon(self._theme.icons.get("expand", self._theme.tokens.accent if zoomed else ""))
        self._place()

    def dress(self) -> None:
        """Use the icons of the theme."""
        for buttons in (self.time, self.values):
            for button in buttons.findChildren(QToolButton):
                button.setIcon(self._theme.icons.get(str(button.property("meaning"))))
        self.renew()

    def _place(self) -> None:
        if not self._plot.isVisible() or (self.time.isHidden() and self.values.isHidden()):
            return  # while the plot closes, what it draws is gone already
        area = self._drawing.area.toAlignedRect()
        for buttons in (self.time, self.values):
            buttons.adjustSize()
            buttons.raise_()
        left, low = area.left() + _MARGIN, area.bottom() - _MARGIN
        self.values.move(QPoint(left, low - self.values.height()))
        self.time.move(QPoint(left + self.values.width() + _MARGIN, low - self.time.height()))
