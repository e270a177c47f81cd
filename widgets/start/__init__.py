"""The start page, shown when no session is open: four choices, and recent sessions."""

from widgets.start.choice import Choice
from widgets.start.drop_hint import DropHint
from widgets.start.page import StartPage
from widgets.start.recent import RecentEntry

__all__ = ["Choice", "DropHint", "RecentEntry", "StartPage"]
