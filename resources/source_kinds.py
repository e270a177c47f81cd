"""Loads what can be recorded live: what each kind of source gives, needs and costs
(resources/recording/kinds.toml).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal

import msgspec

from resources.toml_files import RESOURCES, checked, read_toml

SourceKindId = Literal["vcenter", "esxi", "esxtop", "ssh", "guest", "tools", "lab"]


class SourceKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of source; ``id`` is the scheme of its addresses. ``line`` is the shortest description.

    ``usual_s`` and ``least_s``: seconds between two samples, None for one that has a pace of its own.
    """

    id: SourceKindId
    title: str
    line: str
    gives: str
    needs: str
    costs: str
    source: str
    usual_s: float | None = None
    least_s: float | None = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: list[SourceKind]


@cache
def load_source_kinds() -> Sequence[SourceKind]:
    """Return all kinds in their order. Raises KnowledgeError."""
    path = RESOURCES / "recording" / "kinds.toml"
    return tuple(checked(read_toml(path), _File, path).kind)
