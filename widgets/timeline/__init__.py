"""The timeline: the whole session as a strip with a brush, and lanes for findings, events and sources."""

from widgets.timeline.keys import KEYS
from widgets.timeline.view import TimelineView

__all__ = ["KEYS", "TimelineView"]
