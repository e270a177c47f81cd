"""The popup that asks for a mark's note."""

from widgets.marks.note import MarkNote

__all__ = ["MarkNote"]
