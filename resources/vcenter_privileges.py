"""Loads the privileges that recording from vSphere needs, and limits for logins (vcenter/privileges.toml)."""

from __future__ import annotations

from functools import cache
from typing import Literal

import msgspec

from resources.toml_files import RESOURCES, checked, read_toml

_FILE = RESOURCES / "vcenter" / "privileges.toml"


class Privilege(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A privilege of the vSphere API; ``gives`` is what cannot be recorded without it.

    ``in_read_only``: the role "Read-only" holds it.
    """

    id: str
    of: tuple[Literal["vcenter", "esxi", "esxtop", "tools"], ...]
    gives: str
    source: str
    in_read_only: bool = True


class LoginLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How often (``tries``, ``rest_s`` seconds apart) a password that once worked is sent again if it is
    refused.
    """

    tries: int
    rest_s: float
    source: str


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    privilege: tuple[Privilege, ...]
    login: LoginLimits


def privileges(kind: str) -> tuple[Privilege, ...]:
    """Return the privileges that recording from a source of ``kind`` (vcenter, esxi, esxtop, tools) needs."""
    return tuple(entry for entry in _document().privilege if kind in entry.of)


def login_limits() -> LoginLimits:
    """Return how often a refused login may be repeated. Raises KnowledgeError."""
    return _document().login


@cache
def _document() -> _Document:
    return checked(read_toml(_FILE), _Document, _FILE)
