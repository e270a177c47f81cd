"""The overview page: the state of the session at a glance."""

from widgets.overview.view import OverviewView

__all__ = ["OverviewView"]
