"""How an entity or a value is doing: the states that symbols and colours stand for."""

from __future__ import annotations

from typing import Literal

Health = Literal["critical", "warning", "ok", "info", "none"]
"""``none``: nobody has looked yet, or there is nothing to judge."""
