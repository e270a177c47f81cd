"""What moved with it: the ranking with its reasons, and how long each one is."""

from widgets.moved.rows import KEYS
from widgets.moved.view import MovedView

__all__ = ["KEYS", "MovedView"]
