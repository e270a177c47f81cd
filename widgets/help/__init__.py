"""The help window: contents and search on the left, one section on the right."""

from widgets.help.window import HelpPageEntry, HelpWindow

__all__ = ["HelpPageEntry", "HelpWindow"]
