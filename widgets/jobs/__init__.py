"""What runs in the background: progress, cancel, and how it ended."""

from widgets.jobs.view import JobRow, JobsView

__all__ = ["JobRow", "JobsView"]
