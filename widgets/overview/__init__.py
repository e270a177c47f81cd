"""The overview: what an admin wants in ten seconds."""

from widgets.overview.view import Line, OverviewView, TalkerList

__all__ = ["Line", "OverviewView", "TalkerList"]
