"""The PDH paths that head the columns of a capture: ``\\\\host\\class(instance)\\counter``."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_PATH = 1024
"""A longer column name is not one: real ones stay below 300 characters."""


@dataclass(frozen=True, slots=True)
class ColumnPath:
    """One column: whose (``host``), of what (``cls`` and ``instance``), and which ``counter``.

    ``instance`` is empty for classes without one (``Memory``). Counters and instances both hold
    parentheses and colons: ``Cpu Load (1 Minute Avg)``, ``SQL02 (df09cdf2):scsi0:0``.
    """

    host: str
    cls: str
    instance: str
    counter: str


def parse_path(text: str) -> ColumnPath | None:
    """The path that ``text`` spells, or None when it is not one.

    The counter is what follows the last backslash; the class ends at the first parenthesis before it and
    the instance at the last, so parentheses in either are safe.
    """
    if not text.startswith("\\\\") or len(text) > LONGEST_PATH:
        return None
    middle, slash, counter = text.rpartition("\\")
    host, second, middle = middle[2:].partition("\\")
    if not (slash and second and host and middle and counter):
        return None
    cls, parenthesis, instance = middle.partition("(")
    if not parenthesis:
        return ColumnPath(host, cls, "", counter)
    if not cls or not instance.endswith(")"):
        return None
    return ColumnPath(host, cls, instance[:-1], counter)


def format_path(path: ColumnPath) -> str:
    """The spelling that ``parse_path`` reads back."""
    instance = f"({path.instance})" if path.instance else ""
    return f"\\\\{path.host}\\{path.cls}{instance}\\{path.counter}"
