"""The one scope that all views share, with back and forward like a browser."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from sessions.scope import Scope

_MAX_STEPS = 200


class ScopeModel(QObject):
    """Holds the scope; ``changed`` carries the new one. Steps of a drag replace each other in the history."""

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
        """What is looked at now."""
        return self._now

    def set(self, scope: Scope, *, passing: bool = False) -> None:
        """Look at something else. ``passing`` is a step of a drag or of following: it leaves no trace."""
        if scope == self._now:
            self._passing = self._passing and passing
            return
        if not self._passing:
            self._past = [*self._past, self._now][-_MAX_STEPS:]
            self._future.clear()
        self._passing = passing
        self._show(scope)

    def reset(self, scope: Scope | None = None) -> None:
        """Begin anew, without a history: another session was opened."""
        self._past.clear()
        self._future.clear()
        self._passing = False
        self._show(scope or Scope())

    def back(self) -> None:
        """The scope before this one."""
        if self._past:
            self._future.append(self._now)
            self._passing = False
            self._show(self._past.pop())

    def forward(self) -> None:
        """The scope that ``back`` left."""
        if self._future:
            self._past.append(self._now)
            self._passing = False
            self._show(self._future.pop())

    @property
    def can_go_back(self) -> bool:
        """Whether there is a scope before this one."""
        return bool(self._past)

    @property
    def can_go_forward(self) -> bool:
        """Whether ``back`` left one."""
        return bool(self._future)

    def _show(self, scope: Scope) -> None:
        self._now = scope
        self.changed.emit(scope)
        self.history_changed.emit()
