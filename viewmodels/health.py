"""The health states of entities and values, which symbols and colours stand for."""

from __future__ import annotations

from typing import Literal

Health = Literal["critical", "warning", "ok", "info", "none"]
"""A health state; ``none``: not judged yet, or nothing to judge."""
