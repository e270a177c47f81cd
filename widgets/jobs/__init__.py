"""Background jobs: progress, cancel, and how they ended."""

from widgets.jobs.view import JobRow, JobsView

__all__ = ["JobRow", "JobsView"]
