"""The timeline: the whole session as a strip with a brush, and lanes for what happened."""

from widgets.timeline.keys import KEYS
from widgets.timeline.view import TimelineView

__all__ = ["KEYS", "TimelineView"]
