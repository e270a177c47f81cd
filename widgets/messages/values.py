"""What a message is: its sentence, how serious it is, and what can be done about it. No widget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Level = Literal["info", "ok", "warning", "critical"]

_WORDS: dict[Level, str] = {"info": "Note", "ok": "Done", "warning": "Warning", "critical": "Error"}
_SHOWN_MS: dict[Level, int] = {"info": 6_000, "ok": 6_000, "warning": 12_000, "critical": 0}
_WITH_ACTION_MS = 10_000


@dataclass(frozen=True, slots=True)
class MessageAction:
    """The button of a message: its text (``Undo``, ``Show in folder``), and what a click does."""

    title: str
    run: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Message:
    """A message; ``at`` is when it came, in ms on this computer's clock. ``more`` are further buttons."""

    text: str
    level: Level = "info"
    at: int = 0
    action: MessageAction | None = None
    more: tuple[MessageAction, ...] = ()

    @property
    def actions(self) -> tuple[MessageAction, ...]:
        """All that can be done about it, in the order of the buttons."""
        return self.more if self.action is None else (self.action, *self.more)

    @property
    def shown_ms(self) -> int:
        """How long it stays; 0 for an error, which stays until it is closed."""
        least = _WITH_ACTION_MS if self.action is not None else 0
        return max(_SHOWN_MS[self.level], least) if _SHOWN_MS[self.level] else 0

    @property
    def spoken(self) -> str:
        """The message for a screen reader: ``Error: The recorder died.``."""
        titles = [one.title for one in self.actions]
        buttons = f" Button{'s' if len(titles) > 1 else ''}: {', '.join(titles)}." if titles else ""
        return f"{_WORDS[self.level]}: {self.text}{buttons}"
