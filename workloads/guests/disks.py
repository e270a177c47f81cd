"""What guests say of their disks: the words of disks.sh, and the sentences that they mean."""

from __future__ import annotations

from collections.abc import Sequence

from resources.failures import UsageError
from resources.foreign_text import shown
from resources.units import format_bytes
from workloads.environment import DiskIdentity, Work

_SENTENCES = {
    "not-there": "It is not there.",
    "not-a-disk": "It is no disk.",
    "not-a-file": "It is neither a file nor free for one.",
    "unreadable": "It can't be read, so nobody knows what is on it.",
    "unexamined": "The guest lacks the programs to examine it (dd, od, tr, grep, /proc).",
    "partition": "It is a partition of a disk, not a disk.",
    "mounted": "It is mounted, or one of its partitions is.",
    "swap": "The guest swaps to it.",
    "read-only": "It is read-only.",
    "no-identity": "The plan names no UUID for it; on vSphere the VM needs disk.EnableUUID.",
}
_FAMILIES = {
    "LVM2_member": "LVM",
    "zfs_member": "ZFS",
    "ldm": "a dynamic disk of Windows",
    "VMFS": "VMFS",
    "linux_raid_member": "Linux RAID",
    "crypto_LUKS": "LUKS encryption",
    "several": "several of them",
}
_VALUED = {
    "partition-table": lambda value: f"It has a partition table ({value}).",
    "signature": lambda value: f"It has the signature of a filesystem or volume: {value}.",
    "holder": lambda value: f"Another device stands on top of it: {value}.",
    "uuid": lambda value: f"Its UUID is another one: {value or 'none'}.",
}


def sentence(objection: str) -> str:
    """Return what an objection of disks.sh (``signature ext4``) means, as a sentence.

    What no script of ours says is an objection, too.
    """
    word, _, value = objection.strip().partition(" ")
    if word in _SENTENCES:
        return _SENTENCES[word]
    if word == "size" and value.isascii() and value.isdigit() and len(value) < 20:
        return f"Its size is another one: {format_bytes(int(value))} ({value} bytes)."
    value = shown(value, 80)
    if word in _VALUED:
        return _VALUED[word](_FAMILIES.get(value, value))
    return f"The guest objects: {shown(objection, 80)}."


def sentences(objections: str) -> tuple[str, ...]:
    """Return the sentences of objections between semicolons, each once."""
    return tuple(dict.fromkeys(sentence(one) for one in objections.split(";") if one.strip()))


def parse_disk(line: str) -> DiskIdentity | None:
    """Return the disk of a line of ``list_disks`` (behind the word ``disk``); None if it is none."""
    cells = line.split("\t")
    if len(cells) != 4 or not (cells[2].isascii() and cells[2].isdigit() and len(cells[2]) < 20):
        return None
    path, uuid, size, objections = cells
    return DiskIdentity(shown(path), shown(uuid), int(size), in_use=sentences(objections))


def refusal(work: Work, place: str, objections: Sequence[str]) -> UsageError:
    """Return the error for disks that must not be written; each objection is ``NUMBER WORD …``."""
    reasons: dict[str, list[str]] = {}
    for one in objections:
        number, _, words = one.strip().partition(" ")
        reasons.setdefault(_path(work, number), []).append(sentence(words))
    texts = [f"{shown(path)}: {' '.join(dict.fromkeys(each))}" for path, each in reasons.items()]
    return UsageError(
        f"{place} has another disk than the plan names, or it is in use.",
        meaning=" ".join(texts),
        advice="Nothing was written. Look at the disk in the guest, and plan the test again.",
    )


def _path(work: Work, number: str) -> str:
    index = int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 0
    return work.disks[index - 1].path if 1 <= index <= len(work.disks) else "A disk"
