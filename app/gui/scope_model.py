"""The scope that all views share, with back and forward as in a browser."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from sessions.scope import Scope

_MAX_STEPS = 200


@dataclass(frozen=True, slots=True)
class Jump:
    """A step that also went from one page to another; both are panels' names."""

    left: str
    to: str


class ScopeModel(QObject):
    """Holds the scope and its history; ``changed`` carries the new scope.

    ``page_wanted`` carries the page of a step that came from another one, when it is taken back or again.
    """

    changed = Signal(object)
    history_changed = Signal()
    page_wanted = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._past: list[tuple[Scope, Jump | None]] = []
        self._future: list[tuple[Scope, Jump | None]] = []
        self._now = Scope()
        self._passing = False

    @property
    def scope(self) -> Scope:
        """The current scope."""
        return self._now

    def set(self, scope: Scope, *, passing: bool = False, jump: Jump | None = None) -> None:
        """Set the scope. ``passing``: a step of a drag or of following, which replaces the last such step.
        ``jump``: the caller shows it on another page, and going back returns to the one that was left.
        """
        if _looks_alike(scope, self._now) and jump is None:
            self._passing = self._passing and passing
            return
        if not self._passing or jump is not None:
            self._past = [*self._past, (self._now, jump)][-_MAX_STEPS:]
            self._future.clear()
        self._passing = passing
        self._show(scope)

    def leave(self, jump: Jump) -> None:
        """Note that another page shows the same scope: going back returns to the one that was left."""
        self._past = [*self._past, (self._now, jump)][-_MAX_STEPS:]
        self._future.clear()
        self.history_changed.emit()

    def reset(self, scope: Scope | None = None) -> None:
        """Set the scope and clear the history: another session was opened."""
        self._past.clear()
        self._future.clear()
        self._passing = False
        self._show(scope or Scope())

    def back(self) -> None:
        """Return to the scope before this one."""
        if self._past:
            scope, jump = self._past.pop()
            self._future.append((self._now, jump))
            self._passing = False
            self._show(scope)
            if jump is not None:
                self.page_wanted.emit(jump.left)

    def forward(self) -> None:
        """Return to the scope that ``back`` left."""
        if self._future:
            scope, jump = self._future.pop()
            self._past.append((self._now, jump))
            self._passing = False
            self._show(scope)
            if jump is not None:
                self.page_wanted.emit(jump.to)

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
