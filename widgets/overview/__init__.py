"""The overview: what an admin wants in ten seconds."""

from widgets.overview.view import OverviewView

__all__ = ["OverviewView"]
