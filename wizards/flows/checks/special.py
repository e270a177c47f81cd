"""Checks that only some tests need: Storage I/O Control, versions, DRS, vSAN."""

from __future__ import annotations

from resources.foreign_text import shown
from wizards.flows.checks.context import CheckContext, Found, is_true, names, number

_MANAGED = ("VMFS", "NFS")
_LAST_WITH_SHARES = (8, 0, 3)


def managed(context: CheckContext) -> Found | None:
    """S1: Storage I/O Control can manage the datastore."""
    store = context.chosen("datastore")
    if store is None:
        return None
    name, kind = shown(store.object.name), store.facts.get("type")
    if store.facts.get("iorm_supported") is False or (kind and kind not in _MANAGED):
        return Found(
            "block", f"{name} is {shown(str(kind))}, which it does not manage.", (store.object.name,)
        )
    if (number(store, "extents") or 1) > 1:
        return Found("block", f"{name} has several extents.", (store.object.name,))
    if number(store, "rdm_workers"):
        return Found("block", f"A worker has a raw device on {name}.", (store.object.name,))
    hosts = str(store.facts.get("hosts") or "").split()
    outside = [host for host in context.hosts() if hosts and host.object.id not in hosts]
    if outside:
        return Found("block", f"{name} is not mounted by {shown(outside[0].object.name)}.", names(outside))
    return Found("ok", f"{name}: {shown(str(kind))}, one extent, seen by all hosts of workers.")


def version(context: CheckContext) -> Found | None:
    """S2: the version still has shares."""
    texts = {str(one.facts.get("version") or "") for one in context.hosts()} - {""}
    if not texts:
        return None
    newest = max(texts, key=_numbers)
    if _numbers(newest) >= _LAST_WITH_SHARES:
        return Found("warn", f"The hosts are {shown(newest)}: shares are deprecated from 8.0 U3 on.")
    return Found("note", f"Storage I/O Control is deprecated from 8.0 U3 on; here {shown(newest)}.")


def spread(context: CheckContext) -> Found | None:
    """S3: workers on enough hosts."""
    least = context.known.require(context.plan.test).hosts_least
    count, workers = len(context.hosts()), len(context.pairs)
    if not count:
        return None
    if count < least:
        return Found("block", f"The {workers} workers are on {count} host, at least {least} are needed.")
    return Found("ok", f"{workers} workers on {count} hosts, at least {least}.")


def together(context: CheckContext) -> Found | None:
    """S4: workers on one host."""
    hosts = context.hosts()
    if len(hosts) > 1:
        return Found("block", f"The workers are on {len(hosts)} hosts.", names(hosts))
    return Found("ok", "All workers are on one host.") if hosts else None


def movable(context: CheckContext) -> Found | None:
    """D1: every host can do vMotion."""
    cluster = context.cluster()
    hosts = [
        one
        for one in context.around.of_kind("HostSystem")
        if cluster is not None and one.parent == cluster.object.id
    ]
    still = [one for one in hosts if one.facts.get("vmotion") is False]
    if still:
        return Found("block", f"{shown(still[0].object.name)} has no vMotion.", names(still))
    return Found("ok", f"{len(hosts)} hosts with vMotion.") if hosts else None


def drs_on(context: CheckContext) -> Found | None:
    """D2: DRS is on."""
    cluster = context.cluster()
    if cluster is None:
        return None
    if not is_true(cluster, "drs_enabled"):
        return Found("block", f"DRS of {shown(cluster.object.name)} is off.", (cluster.object.name,))
    return Found("ok", f"DRS of {shown(cluster.object.name)} is on.")


def vsan(context: CheckContext) -> Found | None:
    """V1: the cluster is vSAN with deduplication, all flash."""
    cluster = context.cluster()
    if cluster is None:
        return None
    name = shown(cluster.object.name)
    if not cluster.facts.get("vsan_type"):
        return Found("block", f"{name} is no vSAN cluster.", (cluster.object.name,))
    if not is_true(cluster, "vsan_dedup"):
        return Found("block", f"Deduplication of {name} is off.", (cluster.object.name,))
    return Found("ok", f"{name}: vSAN {shown(str(cluster.facts['vsan_type']))} with deduplication.")


def vsan_at_rest(context: CheckContext) -> Found | None:
    """V2: vSAN is healthy and resynchronises nothing."""
    cluster = context.cluster()
    if cluster is None:
        return None
    left = number(cluster, "vsan_resync_bytes") or 0
    if cluster.facts.get("vsan_healthy") is False:
        return Found("block", "Not all vSAN objects are healthy.", (cluster.object.name,))
    if left:
        return Found("block", f"vSAN still resynchronises {left / (1 << 30):.0f} GB.", (cluster.object.name,))
    return Found("ok", "vSAN is healthy, nothing is resynchronised.")


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isascii() and part.isdigit() else 0 for part in text.split(".")[:3])
