"""The note of a mark, asked for where one is looking."""

from widgets.marks.note import MarkNote

__all__ = ["MarkNote"]
