"""What a text could not be understood for: one sentence, and the nearest text that would be understood."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Misunderstood:
    """``sentence`` says what was not understood and what is near; ``nearest`` is the text to type instead."""

    sentence: str
    nearest: str = ""


class UnclearError(Exception):
    """A part of the text has no meaning; ``what`` is the misunderstanding to show."""

    def __init__(self, sentence: str, nearest: str = "") -> None:
        super().__init__(sentence)
        self.what = Misunderstood(sentence, nearest)
