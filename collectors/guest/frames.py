"""Cuts what the loop in a guest prints into frames: what the guest is, and what its kernel counts now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from resources.failures import SourceError
from resources.foreign_text import shown

_MARK = b"hyperscope-guest "
_BEGINNINGS = {_MARK + b"about": "about", _MARK + b"sample": "sample"}
_END = _MARK + b"end"


@dataclass(frozen=True, slots=True)
class Frame:
    """The lines between two marks, as text without their ends."""

    kind: Literal["about", "sample"]
    lines: tuple[str, ...]


class FrameReader:
    """Takes bytes as they come, and gives frames. What comes before the first mark (a login's greeting) is
    left out; ``max_bytes`` bounds what is kept.
    """

    def __init__(self, place: str, max_bytes: int) -> None:
        self._place, self._max_bytes = place, max_bytes
        self._rest = b""
        self._size = 0
        self._kind: Literal["about", "sample"] | None = None
        self._lines: list[str] = []

    def feed(self, chunk: bytes) -> list[Frame]:
        """Return the frames that are whole with this chunk. Raises SourceError for too much of one."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        frames = [frame for line in lines for frame in self._take(line)]
        if self._size + len(self._rest) > self._max_bytes:
            raise SourceError(
                f"{self._place} prints more than any guest has to tell: {self._begin()}",
                meaning="Its shell prints something else, or somebody plays with it.",
                advice=f"Log in by ssh and run 'sh -c true': it should print nothing. {self._place} is left.",
            )
        return frames

    def _take(self, line: bytes) -> list[Frame]:
        self._size += len(line)
        kind = _BEGINNINGS.get(line)
        if kind is None and line != _END:
            if self._kind is not None:
                self._lines.append(line.decode("utf-8", "replace"))
            return []
        done = [Frame(self._kind, tuple(self._lines))] if self._kind is not None else []
        if self._kind == "sample" and line != _END:
            done = []  # cut off: another loop began
        self._kind = kind  # type: ignore[assignment]
        self._lines, self._size = [], 0
        return done

    def _begin(self) -> str:
        return shown(self._lines[0] if self._lines else self._rest[:80].decode("utf-8", "replace"), 80)
