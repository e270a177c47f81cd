"""The inventory: a searchable tree of the session's entities."""

from widgets.inventory.model import InventoryModel
from widgets.inventory.view import SEARCH_FIELD, InventoryView

__all__ = ["SEARCH_FIELD", "InventoryModel", "InventoryView"]
