"""The scope bar: the path of what all views show, and a field to type another scope."""

from widgets.scope_bar.bar import ScopeBar
from widgets.scope_bar.suggestions import Suggestion

__all__ = ["ScopeBar", "Suggestion"]
