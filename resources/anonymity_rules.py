"""What names things in a session and what does not (resources/anonymity): the rules of anonymising."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache

import msgspec

from resources.toml_files import RESOURCES, checked, read_toml

_FOLDERS_OF_NAMES = frozenset({"lab"})
"""Folders with names of simulated VMs, which are no words of the program."""
_WORD = re.compile(r"[^\W\d_]+")


class AnonymityRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names that are kept, as globs, and what things are called instead of their names.

    ``kernel_groups`` are groups of worlds: what is in them is the product's own, whatever it is called.
    ``parts`` are regular expressions of names that the product gives, by kind of entity; ``kept_names`` those
    of other things, by what they are called.
    """

    kept_users: tuple[str, ...]
    kept_folders: tuple[str, ...]
    kept_files: tuple[str, ...]
    file_endings: tuple[str, ...]
    domain_endings: tuple[str, ...]
    kernel_groups: tuple[str, ...]
    kept_attributes: tuple[str, ...]
    file_attributes: tuple[str, ...]
    kept_facts: tuple[str, ...]
    named_facts: dict[str, str]
    names: dict[str, str]
    parts: dict[str, tuple[str, ...]]
    kept_names: dict[str, tuple[str, ...]]

    def keeps_user(self, name: str) -> bool:
        """Return True for a user that every vSphere has."""
        return not name or _fits(name, self.kept_users)

    def keeps_fact(self, name: str) -> bool:
        """Return True for a fact whose text is the product's own."""
        return _fits(name, self.kept_facts)

    def fact_names(self, name: str) -> str:
        """Return what a fact names (``switch``); "value" where nobody knows."""
        return next((word for glob, word in self.named_facts.items() if fnmatchcase(name, glob)), "value")

    def keeps_name(self, what: str, name: str) -> bool:
        """Return True for a name of something that the product gave: ``vSwitch0``."""
        return _matches(name, self.kept_names.get(what, ()))

    def keeps_part(self, kind: str, name: str) -> bool:
        """Return True for the name of a part that the product gave: ``vmnic0``."""
        return _matches(name, self.parts.get(kind, ()))


def _fits(name: str, globs: Sequence[str]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(re.fullmatch(pattern, name) for pattern in patterns)


@cache
def load_anonymity_rules() -> AnonymityRules:
    """Return the rules that ship. Raises KnowledgeError."""
    path = RESOURCES / "anonymity" / "rules.toml"
    return checked(read_toml(path), AnonymityRules, path)


@cache
def program_words() -> frozenset[str]:
    """Return the words of the program's own texts, in small letters."""
    found: set[str] = set()
    for path in RESOURCES.rglob("*.toml"):
        if path.parent.name not in _FOLDERS_OF_NAMES:
            found.update(word.lower() for word in _WORD.findall(path.read_text(encoding="utf-8")))
    return frozenset(found)


def is_program_text(text: str) -> bool:
    """Return True for a text of which each word is one of the program's own: it names nobody.

    A single letter is no word: it may be a unit, or stand in a time.
    """
    return all(len(word) == 1 or word.lower() in program_words() for word in _WORD.findall(text))
