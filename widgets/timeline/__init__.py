"""The timeline: the whole session as a strip with a brush, and lanes for what happened."""

from viewmodels.timeline import Bar, Load, SourceLane, TimelineContent
from widgets.timeline.view import TimelineView

__all__ = ["Bar", "Load", "SourceLane", "TimelineContent", "TimelineView"]
