"""esxtop batch captures: what ``esxtop -b`` wrote, and what became of it since, into a session."""

from collectors.esxtop.importing import import_captures
from collectors.esxtop.report import CancelSignal, DamagedRow, FileReport, ImportReport, Progress

__all__ = ["CancelSignal", "DamagedRow", "FileReport", "ImportReport", "Progress", "import_captures"]
