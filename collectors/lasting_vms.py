"""The lasting entities of VMs that a host's esxtop names by numbers: those of a vCenter's recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from collectors.esxtop_names import HostColumns
from sessions.model import Entity, EntityRef

BY_WORLD, BY_NAME = "the ids of its worlds", "its name alone: a guess"
"""How a VM was recognised; its fact ``JOINED_BY`` has it."""
JOINED_BY = "joined_by"
_VCPU = "vCPU "


@dataclass(slots=True)
class Renaming:
    """The lasting entities of those that a host names by numbers of its own: old → new.

    ``how`` says of each VM how it was recognised.
    """

    refs: dict[EntityRef, EntityRef] = field(default_factory=dict)
    names: dict[EntityRef, str] = field(default_factory=dict)
    how: dict[EntityRef, str] = field(default_factory=dict)

    def ref(self, ref: EntityRef) -> EntityRef:
        """Return the entity under its lasting key."""
        return self.refs.get(ref, ref)

    def columns(self, columns: HostColumns, parents: Mapping[EntityRef, EntityRef]) -> HostColumns:
        """Return the columns of the same values, of the lasting entities; ``parents`` are those of VMs."""
        entities = {
            ref: Entity(ref, self.names.get(ref, one.name), parents.get(ref) or self._parent(one))
            for one in columns.entities
            for ref in (self.ref(one.ref),)
        }
        return replace(
            columns,
            entities=tuple(entities.values()),
            specs=tuple(one._replace(entity=self.ref(one.entity)) for one in columns.specs),
            stated=tuple((self.ref(ref), name, value) for ref, name, value in columns.stated),
            texts=tuple(replace(one, entity=self.ref(one.entity)) for one in columns.texts),
            zero_fills=tuple(replace(one, entity=self.ref(one.entity)) for one in columns.zero_fills),
        )

    def _parent(self, entity: Entity) -> EntityRef | None:
        return self.ref(entity.parent) if entity.parent is not None else None


def lasting_part(part: Entity, vms: Mapping[EntityRef, EntityRef]) -> EntityRef | None:
    """Return what a vCPU or disk of a VM is called by what lasts; None for anything else.

    ``vms`` are the lasting entities of VMs.
    """
    vm = vms.get(part.parent) if part.parent is not None else None
    if vm is None or part.parent is None:
        return None
    if part.ref.kind == "vcpu":
        return EntityRef("vcpu", f"{vm.key}/vcpu/{part.name.removeprefix(_VCPU)}")
    if part.ref.kind == "vdisk":
        return EntityRef("vdisk", vm.key + part.ref.key.removeprefix(part.parent.key))
    return None
