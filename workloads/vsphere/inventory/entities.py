"""Which entity of the session each object is: the same that the recording of the vCenter finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from collectors.vsphere.inventory import elements
from collectors.vsphere.inventory.elements import Reader
from collectors.vsphere.inventory.lookup import Identify, ObjectIndex
from collectors.vsphere.inventory.paths import PLACES
from collectors.vsphere.inventory.replies import Update
from sessions.model import EntityRef
from workloads.vsphere.inventory.reading import Seen

_READ: Mapping[str, Mapping[str, Reader]] = {
    "VirtualMachine": {
        "name": elements.name,
        "config.template": elements.flag,
        "config.instanceUuid": elements.text,
        "runtime.connectionState": elements.text,
    },
    "HostSystem": {"name": elements.name, "hardware.systemInfo.uuid": elements.text},
    "Datastore": {"name": elements.name, "summary.url": elements.text},
    "ClusterComputeResource": {"name": elements.name},
}
"""The properties on which an object's identity and name depend, and how each is read."""


def entities(
    seen: Iterable[Seen], site: str, identify: Identify, *, is_vcenter: bool
) -> dict[str, tuple[EntityRef, str]]:
    """Return moid → entity and name of the objects that have an entity: no templates, no root pools."""
    index = ObjectIndex(site, identify, {}, is_vcenter=is_vcenter)
    for one in seen:
        readers = _READ.get(one.ref.type)
        if readers is not None:
            values = tuple(
                (PLACES[one.ref.type][path], read(element))
                for path, read in readers.items()
                if (element := one.element(path)) is not None
            )
            index.apply(Update("enter", one.ref.type, one.ref.moid, values))
    found: dict[str, tuple[EntityRef, str]] = {}
    for moid in index.objects:
        ref = index.ref(moid)
        if ref is not None:
            found[moid] = ref, index.name(moid)
    return found
