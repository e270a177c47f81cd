"""The overview: what an admin wants in ten seconds."""

from widgets.overview.section import Line
from widgets.overview.view import OverviewView, TalkerList

__all__ = ["Line", "OverviewView", "TalkerList"]
