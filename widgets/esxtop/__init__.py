"""The esxtop view: a dense, sortable table of all hosts at one moment of the session."""

from widgets.esxtop.fields import FieldsDialog
from widgets.esxtop.interval import MIN_INTERVAL_S, interval_dialog
from widgets.esxtop.keys import key_rows
from widgets.esxtop.model import EsxtopModel
from widgets.esxtop.table import EsxtopTable
from widgets.esxtop.view import EsxtopView

__all__ = [
    "MIN_INTERVAL_S",
    "EsxtopModel",
    "EsxtopTable",
    "EsxtopView",
    "FieldsDialog",
    "interval_dialog",
    "key_rows",
]
