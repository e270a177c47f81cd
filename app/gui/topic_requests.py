"""Requests of views to explain something: a problem, a counter."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class TopicRequests(QObject):
    """Signal: ``wanted`` with the key of a topic of the help: ``problems#cpu.limit``,
    ``counters#cpu.ready``.
    """

    wanted = Signal(str)

    def problem(self, name: str) -> None:
        """Ask for the page of a problem."""
        self.wanted.emit(f"problems#{name}")

    def counter(self, key: str) -> None:
        """Ask for the page of a counter."""
        self.wanted.emit(f"counters#{key}")
