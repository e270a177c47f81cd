"""The inventory: a tree of what the session knows, searched as you type."""

from widgets.inventory.model import InventoryModel, Node
from widgets.inventory.view import InventoryView

__all__ = ["InventoryModel", "InventoryView", "Node"]
