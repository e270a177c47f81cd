"""Loads the privileges that guided tests need on a vCenter, by setting (vcenter/test_privileges.toml)."""

from __future__ import annotations

from functools import cache

import msgspec

from resources.toml_files import RESOURCES, checked, read_toml

_FILE = RESOURCES / "vcenter" / "test_privileges.toml"


class TestPrivilege(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A privilege that changing a setting needs on objects of a kind; ``gives`` is what it allows."""

    __test__ = False  # pytest: this is none of its tests

    setting: str
    id: str
    on: str
    title: str
    gives: str
    source: str


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    privilege: tuple[TestPrivilege, ...]


@cache
def privileges_of_tests() -> tuple[TestPrivilege, ...]:
    """Return all of them. Raises KnowledgeError."""
    return checked(read_toml(_FILE), _Document, _FILE).privilege
