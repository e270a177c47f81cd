"""The scope that all views share, with back and forward as in a browser."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from sessions.scope import Scope

_MAX_STEPS = 200


class ScopeModel(QObject):
    """Holds the scope and its history; ``changed`` carries the new scope."""

    changed = Signal(object)
    history_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._past: list[Scope] = []
        self._future: list[Scope] = []
        self._now = Scope()
        self._passing = False

    @property
    def scope(self) -> Scope:
        """The current scope."""
        return self._now

    def set(self, scope: Scope, *, passing: bool = False) -> None:
        """Set the scope. ``passing``: a step of a drag or of following, which replaces the last such step."""
        if _looks_alike(scope, self._now):
            self._passing = self._passing and passing
            return
        if not self._passing:
            self._past = [*self._past, self._now][-_MAX_STEPS:]
            self._future.clear()
        self._passing = passing
        self._show(scope)

    def reset(self, scope: Scope | None = None) -> None:
        """Set the scope and clear the history: another session was opened."""
        self._past.clear()
        self._future.clear()
        self._passing = False
        self._show(scope or Scope())

    def back(self) -> None:
        """Return to the scope before this one."""
        if self._past:
            self._future.append(self._now)
            self._passing = False
            self._show(self._past.pop())

    def forward(self) -> None:
        """Return to the scope that ``back`` left."""
        if self._future:
            self._past.append(self._now)
            self._passing = False
            self._show(self._future.pop())

    @property
    def can_go_back(self) -> bool:
        """True if there is a scope to go back to."""
        return bool(self._past)

    @property
    def can_go_forward(self) -> bool:
        """True if ``back`` left a scope."""
        return bool(self._future)

    def _show(self, scope: Scope) -> None:
        self._now = scope
        self.changed.emit(scope)
        self.history_changed.emit()


def _looks_alike(one: Scope, other: Scope) -> bool:
    """True for equal scopes; of two that follow, only the length of the window matters."""
    if not (one.follow and other.follow and one.window and other.window):
        return one == other
    same = replace(one, window=other.window) == other
    return same and one.window.end - one.window.start == other.window.end - other.window.start
