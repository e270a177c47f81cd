"""What an account needs for recording from vSphere, and how often it may be tried: from privileges.toml."""

from __future__ import annotations

from functools import cache
from typing import Literal

import msgspec

from resources.toml_files import RESOURCES, checked, read_toml

_FILE = RESOURCES / "vcenter" / "privileges.toml"


class Privilege(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A privilege of the vSphere API. ``gives`` is what can't be recorded without it."""

    id: str
    of: tuple[Literal["vcenter", "esxi"], ...]
    gives: str
    source: str


class LoginLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How often a password that worked before may be refused before it is not sent again."""

    tries: int
    rest_s: float
    source: str


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    privilege: tuple[Privilege, ...]
    login: LoginLimits


def privileges(kind: str) -> tuple[Privilege, ...]:
    """The privileges that recording from a source of ``kind`` needs."""
    return tuple(entry for entry in _document().privilege if kind in entry.of)


def login_limits() -> LoginLimits:
    """How careful to be with an account. Raises KnowledgeError."""
    return _document().login


@cache
def _document() -> _Document:
    return checked(read_toml(_FILE), _Document, _FILE)
