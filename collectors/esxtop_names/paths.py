"""The PDH paths that head the columns of a capture: ``\\\\host\\class(instance)\\counter``."""

from __future__ import annotations

from typing import NamedTuple

LONGEST_PATH = 1024
"""A longer column name is not one: real ones stay below 300 characters."""


class ColumnPath(NamedTuple):
    """One column: whose (``host``), of what (``cls`` and ``instance``), and which ``counter``.

    ``instance`` is empty for classes without one (``Memory``). Counters and instances both hold
    parentheses and colons: ``Cpu Load (1 Minute Avg)``, ``SQL02 (df09cdf2):scsi0:0``.
    """

    host: str
    cls: str
    instance: str
    counter: str


class PathReader:
    """Reads many paths: a header repeats few counters for few instances, so most parts are known already."""

    def __init__(self) -> None:
        self._fronts: dict[str, tuple[str, str, str] | None] = {}
        self._words: dict[str, str] = {}

    def read(self, text: str) -> ColumnPath | None:
        """Parse a path; None if ``text`` is not one.

        The counter is what follows the last backslash; the class ends at the first parenthesis before it and
        the instance at the last, so parentheses in either are safe.
        """
        front, slash, counter = text.rpartition("\\")
        if not (slash and counter) or len(text) > LONGEST_PATH:
            return None
        parts = self._fronts.get(front, ())
        if parts == ():
            parts = self._fronts[front] = self._split(front)
        return ColumnPath(*parts, self._words.setdefault(counter, counter)) if parts else None

    def _split(self, front: str) -> tuple[str, str, str] | None:
        host, second, middle = front[2:].partition("\\")
        if not (front.startswith("\\\\") and host and second and middle):
            return None
        cls, parenthesis, instance = middle.partition("(")
        if parenthesis and not (cls and instance.endswith(")")):
            return None
        word = self._words.setdefault
        return word(host, host), word(cls, cls), instance[:-1]


def parse_path(text: str) -> ColumnPath | None:
    """Parse a single path, as ``PathReader.read`` does."""
    return PathReader().read(text)


def format_path(path: ColumnPath) -> str:
    """Return the path as text, which ``parse_path`` reads back."""
    instance = f"({path.instance})" if path.instance else ""
    return f"\\\\{path.host}\\{path.cls}{instance}\\{path.counter}"
