"""Which VMs vSphere runs for itself (problems/_system_vms.toml): they are no workloads."""

from __future__ import annotations

import re

import msgspec


class SystemVms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """VMs that are not judged: whose name matches ``names`` as a whole, or which one of the extensions
    ``managed_by`` made.
    """

    names: str
    managed_by: list[str]
    source: str

    def include(self, name: str, manager: str = "") -> bool:
        """Return True if a VM of this name, made by this extension (empty: unknown), is one of them."""
        return manager in self.managed_by or bool(re.fullmatch(self.names, name))


NO_SYSTEM_VMS = SystemVms("(?!)", [], "")
"""None at all."""
