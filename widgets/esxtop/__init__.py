"""The esxtop view: a dense, sortable table of all hosts at a moment of the session."""

from widgets.esxtop.model import EsxtopModel, Values
from widgets.esxtop.table import EsxtopTable, letter
from widgets.esxtop.view import EsxtopView

__all__ = ["EsxtopModel", "EsxtopTable", "EsxtopView", "Values", "letter"]
