"""The order in which Tab goes through the window: part by part, as one reads it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def tab_stops(window: QWidget, parts: Sequence[QWidget]) -> list[QWidget]:
    """Return the widgets that Tab visits: those of each part together, in the order of ``parts``.

    Qt's own order is that in which widgets were made: what appears later, such as a finding's card, would
    come after the status bar. Within a part its order holds.
    """
    wanted = {one for one in window.findChildren(QWidget) if _takes_focus(one, window)}
    found = [one for one in _chain(window, wanted) if one in wanted]
    return sorted(found, key=lambda one: _rank(one, parts))


def neighbour(stops: Sequence[QWidget], now: QWidget | None, *, forward: bool) -> QWidget | None:
    """Return the stop after ``now``, or before it; at an end the other end. None if there are no stops."""
    if not stops:
        return None
    at = next((number for number, one in enumerate(stops) if now is one), None)
    if at is None:
        at = next((number for number, one in enumerate(stops) if now and one.isAncestorOf(now)), None)
    if at is None:
        return _near(stops, now)[0 if forward else -1]
    return stops[(at + (1 if forward else -1)) % len(stops)]


def _near(stops: Sequence[QWidget], now: QWidget | None) -> Sequence[QWidget]:
    """Return the stops in the smallest part of the window that ``now`` is in and that has any.

    Qt asks for the next one when a widget is hidden or disabled that has the focus: a button that did its
    work leaves the keys beside it, not at the other end of the window.
    """
    part = now.parentWidget() if now is not None else None
    while part is not None and not part.isWindow():
        inside = [one for one in stops if part.isAncestorOf(one)]
        if inside:
            return inside
        part = part.parentWidget()
    return stops


def _chain(window: QWidget, wanted: set[QWidget]) -> list[QWidget]:
    """Return the widgets of Qt's order up to the last one of ``wanted``.

    PySide takes each widget that ``nextInFocusChain`` returns for a child of the one before it: when a row of
    a list goes, all widgets after it in the order count as deleted, and no context menu opens any more. The
    window is therefore never reached, and ``findChildren`` makes the others its children again.
    """
    chain: list[QWidget] = []
    left, one = len(wanted), window.nextInFocusChain() if wanted else None
    while one is not None:
        chain.append(one)
        left -= one in wanted
        one = one.nextInFocusChain() if left else None
    window.findChildren(QWidget)
    return chain


def _takes_focus(widget: QWidget, window: QWidget) -> bool:
    return (
        bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        and widget.isEnabled()
        and widget.focusProxy() is None
        and widget.window() is window
        and widget.isVisibleTo(window)
    )


def _rank(widget: QWidget, parts: Sequence[QWidget]) -> int:
    for number, part in enumerate(parts):
        if part is widget or part.isAncestorOf(widget):
            return number
    return len(parts)
