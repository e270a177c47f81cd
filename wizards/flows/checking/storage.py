"""Checks of datastores, Storage I/O Control and vSAN."""

from __future__ import annotations

import re

from resources.foreign_text import shown
from resources.units import format_bytes, format_count
from wizards.flows.checking.context import Found, Look, fact, names, number
from wizards.flows.locks import lock_of, locked_objects
from workloads.environment import TestObject
from workloads.together import THREADS, on_all, raised

_UNMANAGED = {"vsan": "vSAN", "VVOL": "vVols", "NFS41": "NFS 4.1"}
_DEPRECATED_FROM = (8, 0, 3)


def space(look: Look) -> Found:
    """C8: there is room for the disks that the run makes, and for what it writes."""
    if not look.is_vcenter:
        return _free_in_guests(look)
    most = look.limit("C8", 80.0)
    texts = []
    for store in look.datastores():
        free, size = number(store, "free_bytes"), number(store, "capacity_bytes")
        name = shown(store.object.name, 60)
        if free is None or not size:
            return Found(None, f"The free space of {name} could not be read", names([store]))
        made = sum(
            disk.size_bytes
            for one in look.plan.workers
            for disk in one.disks
            if disk.datastore == store.object.id
        )
        used = size - free + made
        percent = 100 * used / size
        if made and percent > most:
            disks = f"{format_bytes(int(made))} of disks are made"
            text = f"{name} would be {percent:.0f} % full, limit {most:g} %: {disks}"
            return Found(False, text, names([store]))
        if percent > most:
            text = (
                f"{name} is {percent:.0f} % full, limit {most:g} %: thin disks that are filled may fill it up"
            )
            return Found(False, text, names([store]), state="warn")
        full = f"{format_bytes(int(used))} of {format_bytes(int(size))}"
        texts.append(f"{name} {full} used: {percent:.0f} % of {most:g} %")
    return Found(True, "; ".join(texts)) if texts else Found(True, "No datastore is filled")


def quiet(look: Look) -> Found:
    """C11: others do little on the datastore."""
    if not look.is_vcenter:
        return Found(None, "Load of others can't be seen over ssh alone", state="note")
    most = look.limit("C11", 5.0)
    for store in look.datastores():
        other, everything = number(store, "other_iops"), number(store, "iops")
        name = shown(store.object.name, 60)
        if other is None or everything is None:
            return Found(None, f"The load on {name} could not be read", names([store]), state="warn")
        if other and everything and other > 50 and 100 * other / everything > most:
            text = f"Other VMs do {format_count(round(other))} IOPS on {name}: they move the result"
            return Found(False, text, names([store]))
    return Found(True, "Quiet: others do little there")


def no_lock(look: Look) -> Found:
    """C12: no other run holds these objects."""
    held = []
    objects = locked_objects(look.plan, look.around.objects)
    threads = 0 if look.is_vcenter else THREADS  # guests are asked each on a connection of its own
    locks = on_all(objects, lambda one: lock_of(look.environment.settings, one), threads)
    for one, lock in zip(objects, raised(locks), strict=True):
        if lock is not None:
            held.append((one.name, lock.sentence(one.name, look.around.now_ms)))
    if not held:
        return Found(True, "No other test holds these objects")
    others = len(held) - 1
    is_one = "1 more object is" if others == 1 else f"{format_count(others)} more objects are"
    more = f" {is_one} held, too." if others else ""
    return Found(False, held[0][1].rstrip(".") + "." + more, tuple(name for name, _ in held))


def can_be_managed(look: Look) -> Found:
    """S1: Storage I/O Control can manage the datastore."""
    store = look.chosen("datastore")
    if store is None:
        return Found(None, "No datastore was chosen")
    problem = _unmanageable(store)
    name = shown(store.object.name, 60)
    if problem:
        return Found(False, f"{name} {problem}", names([store]))
    if fact(store, "iorm_supported") is None:
        return Found(None, f"Whether Storage I/O Control can manage {name} could not be read", names([store]))
    mounted = len(str(fact(store, "hosts") or "").split())
    seen = f", seen by {format_count(mounted)} hosts" if mounted else ""
    kind = str(fact(store, "type") or "datastore")
    return Found(True, f"{name}: {shown(kind, 20)}, one extent, no raw device{seen}")


def _unmanageable(store: TestObject) -> str:
    """Return why Storage I/O Control can't manage a datastore, empty if it can."""
    kind, extents, raw = (
        str(fact(store, "type") or ""),
        number(store, "extents"),
        number(store, "rdm_workers"),
    )
    if kind in _UNMANAGED:
        return f"is {_UNMANAGED[kind]}: Storage I/O Control does not manage it"
    if fact(store, "iorm_supported") is False:
        return "has no Storage I/O Control with these hosts and this licence"
    if extents is not None and extents > 1:
        return f"has {format_count(int(extents))} extents"
    return f"has workers with raw devices: {format_count(int(raw))}" if raw else ""


def version(look: Look) -> Found:
    """S2: shares are deprecated from 8.0 U3 on."""
    server = next(iter(look.around.of_kind("ServiceInstance")), None)
    text = str(fact(server, "version") or "") if server is not None else ""
    if not text:
        return Found(None, "The version could not be read", state="note")
    numbers = tuple(int(part) for part in re.findall(r"\d{1,4}", text)[:3])
    if numbers >= _DEPRECATED_FROM:
        return Found(False, f"Storage I/O Control is deprecated from 8.0 U3; here {shown(text, 40)}")
    return Found(True, f"Version {shown(text, 40)}: Storage I/O Control is a supported feature")


def vsan_dedup(look: Look) -> Found:
    """V1: a vSAN cluster with deduplication."""
    if not look.is_vcenter:
        return Found(None, "What the storage makes of the content can't be seen over ssh alone", state="note")
    cluster = look.chosen("cluster")
    if cluster is None:
        return Found(None, "No cluster was chosen")
    name, kind = shown(cluster.object.name, 60), str(fact(cluster, "vsan_type") or "")
    if not kind:
        return Found(False, f"{name} has no vSAN", names([cluster]))
    if fact(cluster, "vsan_dedup") is False:
        return Found(False, f"Deduplication is off in {name}", names([cluster]))
    if fact(cluster, "vsan_dedup") is None:
        return Found(None, f"Whether deduplication is on in {name} could not be read", names([cluster]))
    return Found(True, f"{name}: vSAN {kind} with deduplication")


def vsan_at_rest(look: Look) -> Found:
    """V2: vSAN is healthy and resynchronises nothing."""
    if not look.is_vcenter:
        return Found(None, "vSAN's health can't be seen over ssh alone", state="note")
    cluster = look.chosen("cluster")
    if cluster is None or fact(cluster, "vsan_healthy") is None:
        return Found(None, "vSAN's health could not be read")
    name, left = shown(cluster.object.name, 60), number(cluster, "vsan_resync_bytes")
    if fact(cluster, "vsan_healthy") is False:
        return Found(False, f"Not all vSAN objects of {name} are healthy", names([cluster]))
    if left:
        return Found(False, f"{name} still resynchronises {format_bytes(int(left))}", names([cluster]))
    return Found(True, f"vSAN of {name} is healthy and at rest")


def _free_in_guests(look: Look) -> Found:
    full = [
        one.name for one, seen in look.seen() if seen and seen.facts and seen.facts.free_bytes < _LOGS_BYTES
    ]
    if full:
        text = f"{shown(full[0], 60)} has no {format_bytes(_LOGS_BYTES)} free for fio's output"
        return Found(
            False,
            text,
            tuple(full),
            tuple(full),
            mend="Free space below /var/tmp in that guest (Windows: C:\\Windows\\Temp), or leave it out.",
            why="A guest ends its job by itself before its own disk is full.",
        )
    return Found(True, "Room for fio's output in every guest")


_LOGS_BYTES = 64 << 20
