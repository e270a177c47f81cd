"""Reads what follow.sh answers: lines, and pieces of fio's output of announced lengths.

A guest is not trusted: what does not fit the form, or is longer than any answer, is an error.
"""

from __future__ import annotations

import re

from resources.failures import DisconnectedError
from resources.foreign_text import shown
from workloads.guests.transport import MAX_EXCHANGED, News

_MAX_LINE = 1 << 14
_PART = re.compile(rb"part (\d{1,9}) (\d{1,9})")


class AnswerReader:
    """Takes the bytes of answers as they arrive; ``feed`` returns one when it is whole."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._size = 0
        self._missing = 0
        self._clear()

    def _clear(self) -> None:
        self._state = ""
        self._ending = ""
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> News | None:
        """Return the answer that ``data`` completes, None while it is not whole.

        Raises DisconnectedError for what follow.sh never says.
        """
        self._buffer += data
        self._size += len(data)
        if self._size > MAX_EXCHANGED:
            raise _strange("more bytes than any answer has")
        while True:
            if self._missing:
                if len(self._buffer) < self._missing:
                    return None
                self._parts.append(self._taken(self._missing))
                self._missing = 0
            end = self._buffer.find(b"\n")
            if end < 0:
                if len(self._buffer) > _MAX_LINE:
                    raise _strange("a line without an end")
                return None
            news = self._line(self._taken(end + 1)[:-1])
            if news is not None:
                return news

    def _taken(self, count: int) -> bytes:
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    def _line(self, line: bytes) -> News | None:
        word, _, rest = line.partition(b" ")
        if word == b"state":
            self._state = shown(rest.decode("utf-8", "replace"))
        elif word == b"rc":
            self._ending = shown(rest.decode("utf-8", "replace"))
        elif match := _PART.fullmatch(line):
            self._missing = int(match[2])
            if self._missing > MAX_EXCHANGED:
                raise _strange("a part larger than any")
            if not self._missing:
                self._parts.append(b"")
        elif word == b"end":
            news = News(self._state, self._ending, tuple(self._parts))
            self._clear()
            return news
        else:
            raise _strange(shown(line[:80].decode("utf-8", "replace")))
        return None


def _strange(what: str) -> DisconnectedError:
    return DisconnectedError(
        "A guest's answer is none of the launcher's.",
        meaning=f"It says: {what}.",
        advice="Perhaps its shell's profile prints something; let it do so on terminals only.",
    )
