"""Which Hyperscope this is; the same number as in pyproject.toml."""

from __future__ import annotations

VERSION = "0.1.0"
