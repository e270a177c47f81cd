"""What a search finds in the inventory: VMs first, then hosts, then their parts, as a tree of headings."""

from __future__ import annotations

from collections.abc import Sequence

from resources.units import format_count
from viewmodels.entity_words import kind_order
from viewmodels.inventory_tree import Node
from viewmodels.name_order import natural

_FIRST = (("VMs", ("vm",)), ("Hosts and clusters", ("host", "cluster", "vcenter", "pool")))
_PARTS = "Parts and devices"
_MAX_PARTS = 400


def search_tree(root: Node, search_text: str) -> Node:
    """Return the nodes below ``root`` whose names or addresses contain every word, under headings.

    VMs keep their parts below them. Names that begin with the first word come first.
    """
    words = search_text.casefold().split()
    found = [node for node in root.walk() if node.ref is not None and _matches(node, words)]
    result = Node("")
    for title, kinds in _FIRST:
        _add(
            result, title, [node for node in found if node.ref is not None and node.ref.kind in kinds], words
        )
    shown = {node.ref.kind for node in found if node.ref is not None and node.ref.kind == "vm"}
    first = {kind for _, kinds in _FIRST for kind in kinds}
    parts = [node for node in found if node.ref is not None and node.ref.kind not in first]
    _add(result, _PARTS, parts[: _MAX_PARTS if shown else None], words)
    return result


def _matches(node: Node, words: Sequence[str]) -> bool:
    return all(word in node.search_text for word in words)


def _add(result: Node, title: str, nodes: Sequence[Node], words: Sequence[str]) -> None:
    if not nodes:
        return
    heading = result.add(Node(f"{title} ({format_count(len(nodes))})"))

    def order(node: Node) -> tuple[object, ...]:
        kind = kind_order(node.ref.kind) if node.ref is not None else 0
        begins = bool(words) and node.title.casefold().startswith(words[0])
        return kind, not begins, natural(node.title)

    for node in sorted(nodes, key=order):
        copy = heading.add(Node(_title(node), node.ref, search_text=node.search_text))
        if node.ref is not None and node.ref.kind == "vm":
            for child in node.children:
                copy.add(Node(child.title, child.ref, search_text=child.search_text))


def _title(node: Node) -> str:
    """Return the name with that of the VM that the node is a part of."""
    above = node.parent
    is_part = above is not None and above.ref is not None and above.ref.kind == "vm"
    return f"{above.title} › {node.title}" if above is not None and is_part else node.title
