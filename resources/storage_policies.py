"""Loads how storage policies are asked for, and which of their rules become facts
(resources/vcenter/storage_policies.toml).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from resources.toml_files import checked, knowledge_files, read_toml

_FILE = "storage_policies.toml"


class _Timing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    interval_s: float
    new_after_s: float
    batch: int
    source: str


class _Component(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    namespace: str
    most: int
    source: str


class PolicyRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule of a policy that becomes the fact ``fact``, unless its number is ``means_none``.

    Its value is a number that is not negative, or with ``is_text`` a text; anything else is no fact.
    """

    fact: str
    namespace: str
    capability: str
    source: str
    property: str = ""
    means_none: float | None = None
    is_text: bool = False

    def allows(self, value: str | float | bool) -> bool:
        """Return True if a server's value can be that of this rule."""
        if self.is_text:
            return isinstance(value, str)
        return isinstance(value, float) and value >= 0 and value != self.means_none

    def is_of(self, namespace: str, capability: str, property_: str) -> bool:
        """Return True if this is the rule for a property of a capability of a provider."""
        own = self.property or self.capability
        return (self.namespace, self.capability, own) == (namespace, capability, property_)


class PolicyService(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"timing": "service"}):
    """All that is known of storage policies.

    ``timing`` (``service`` in TOML): how often all is asked (s), how soon new disks are, and for how many
    objects a call asks. A policy names parts of it under ``component.namespace``, by the id of their profile,
    of which at most ``component.most`` are asked for.
    """

    timing: _Timing
    rule: tuple[PolicyRule, ...]
    component: _Component


def load_policy_service(extra_dirs: Sequence[Path] = ()) -> PolicyService:
    """Load it; a file of the same name in ``extra_dirs`` replaces ours. Raises KnowledgeError."""
    places = [path for place in knowledge_files("vcenter", extra_dirs) for path in place]
    path = [one for one in places if one.name == _FILE][-1]
    return checked(read_toml(path), PolicyService, path)
