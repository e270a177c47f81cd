"""The inventory: a tree of what the session knows, searched as you type."""

from widgets.inventory.model import InventoryModel
from widgets.inventory.view import SEARCH_FIELD, InventoryView

__all__ = ["SEARCH_FIELD", "InventoryModel", "InventoryView"]
