"""Which VMs and volumes a host has, as its own shell tells: so they are those of the vCenter's recording.

esxcli knows a running VM by the ids of its worlds and where its configuration lies; in that file the vCenter
wrote its instance UUID (``vc.uuid``). What a file or a host says becomes no part of a command: the shell's
own loop hands it on as one quoted word.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from collectors.esxtop_names import HostColumns
from collectors.lasting_vms import BY_NAME, BY_WORLD, Renaming, lasting_part
from sessions.model import EntityRef
from sessions.shared_devices import datastore_key

QUESTION = """\
echo 'hyperscope: vms'
esxcli --formatter=csv vm process list 2>/dev/null
echo 'hyperscope: files'
esxcli vm process list 2>/dev/null | sed -n 's/^ *Config File: //p' | while IFS= read -r file; do
printf 'file=%s\\n' "$file"
sed -n 's/^vc\\.uuid *= *"\\([0-9A-Fa-f -]*\\)".*/instance=\\1/p' < "$file" 2>/dev/null | head -n 1
done
echo 'hyperscope: volumes'
esxcli --formatter=csv storage filesystem list 2>/dev/null
"""
VMS_QUESTION = """\
echo 'hyperscope: vms'
esxcli --formatter=csv vm process list 2>/dev/null && echo 'hyperscope: told'
"""
"""Which VMs run, without looking into their files."""
_PART = "hyperscope: "
_PLACE = re.compile(r"/vmfs/volumes/[0-9A-Za-z:._-]+/?")
_MAX_ROWS = 4096


@dataclass(frozen=True, slots=True)
class RunningVm:
    """A running VM: the ids of its worlds, its name, and its instance UUID (dashed)."""

    worlds: frozenset[str]
    name: str
    instance_uuid: str


@dataclass(frozen=True, slots=True)
class ObjectsOfHost:
    """What a host has: its running VMs, and where its volumes are mounted by their names."""

    vms: tuple[RunningVm, ...] = ()
    volumes: dict[str, str] = field(default_factory=dict)


def read_objects(lines: Sequence[str]) -> ObjectsOfHost:
    """Read the answer to ``QUESTION``; what does not fit is left out."""
    parts: dict[str, list[str]] = {}
    part = ""
    for line in lines:
        if line.startswith(_PART):
            part = line.removeprefix(_PART)
        else:
            parts.setdefault(part, []).append(line)
    instances = dict(_instances(parts.get("files", [])))
    vms = [
        RunningVm(frozenset({row["WorldID"], row["VMXCartelID"]}), row.get("DisplayName", ""), instance)
        for row in _rows(parts.get("vms", []))
        if row.get("WorldID", "").isdigit() and row.get("VMXCartelID", "").isdigit()
        if (instance := instances.get(row.get("ConfigFile", ""), ""))
    ]
    volumes = {
        row.get("VolumeName", ""): row["MountPoint"]
        for row in _rows(parts.get("volumes", []))
        if _PLACE.fullmatch(row.get("MountPoint", ""))
    }
    return ObjectsOfHost(tuple(vms), {name: place for name, place in volumes.items() if name})


def read_running(lines: Sequence[str]) -> frozenset[str] | None:
    """Return the ids of the running VMs' worlds as the answer to ``VMS_QUESTION`` has them.

    None if the host does not tell: that is no host without VMs.
    """
    if f"{_PART}told" not in lines:
        return None
    rows = _rows([line for line in lines if not line.startswith(_PART)])
    return frozenset(row["WorldID"] for row in rows if row.get("WorldID", "").isdigit())


def _rows(lines: Sequence[str]) -> Iterator[dict[str, str]]:
    """The rows of esxcli's csv by their columns, which have no spaces."""
    try:
        rows = [row for row in csv.reader(lines[: _MAX_ROWS + 1]) if row]
    except csv.Error:
        return
    names = ["".join(name.split()) for name in rows[0]] if rows else []
    for row in rows[1:]:
        yield dict(zip(names, row, strict=False))


def _instances(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Configuration file and instance UUID, as ``52 3b 1c 8f …-…`` is written."""
    file = ""
    for line in lines:
        name, _, text = line.partition("=")
        if name == "file":
            file = text
        digits = "".join(one for one in text.lower() if one not in " -")
        if name == "instance" and file and re.fullmatch("[0-9a-f]{32}", digits):
            yield file, "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def lasting(columns: HostColumns, objects: ObjectsOfHost) -> Renaming:
    """Return the lasting entities of a host's VMs, their vCPUs and disks, and its volumes."""
    made, host = Renaming(), columns.host
    worlds: dict[EntityRef, set[str]] = {}
    for one in columns.entities:
        if one.parent is not None and one.parent.kind == "vm" and one.ref.kind in ("world", "vcpu"):
            number = one.ref.key.removeprefix(f"{host}/world/")
            worlds.setdefault(one.parent, set()).add(number)
    vms = {one.ref: one.name for one in columns.entities if one.ref.kind == "vm"}
    for ref, (vm, how) in _recognised(vms, worlds, objects.vms).items():
        made.refs[ref] = new = EntityRef("vm", vm.instance_uuid)
        made.names[new], made.how[new] = vms[ref], how
    parts = {one.ref: lasting_part(one, made.refs) for one in columns.entities}
    counted = Counter(ref for ref in parts.values() if ref is not None)
    made.refs |= {old: new for old, new in parts.items() if new is not None and counted[new] == 1}
    for one in columns.entities:
        if one.ref.kind == "datastore" and (place := objects.volumes.get(one.name)):
            made.refs[one.ref] = EntityRef("datastore", datastore_key(place))
    return made


def _recognised(
    vms: dict[EntityRef, str], worlds: dict[EntityRef, set[str]], running: Sequence[RunningVm]
) -> dict[EntityRef, tuple[RunningVm, str]]:
    """Which VM each scheduler group is: by its worlds, else by a name that is of one on both sides."""
    found: dict[EntityRef, tuple[RunningVm, str]] = {}
    for ref in vms:
        same = [one for one in running if one.worlds & worlds.get(ref, set())]
        if len(same) == 1:
            found[ref] = same[0], BY_WORLD
    taken = {one.instance_uuid for one, _ in found.values()}
    of_groups, of_vms = Counter(vms.values()), Counter(one.name for one in running)
    for ref, name in vms.items():
        if ref not in found and of_groups[name] == 1 and of_vms[name] == 1:
            one = next(one for one in running if one.name == name)
            if one.instance_uuid not in taken:
                found[ref] = one, BY_NAME
    twice = Counter(one.instance_uuid for one, _ in found.values())
    return {ref: both for ref, both in found.items() if twice[both[0].instance_uuid] == 1}
