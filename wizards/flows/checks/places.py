"""Checks of hosts, datastores, clusters and locks."""

from __future__ import annotations

from resources.failures import HyperscopeError
from resources.foreign_text import shown
from sessions.journal import ChangedObject
from wizards.flows.checks.context import CheckContext, Found, is_true, listed, names, number
from wizards.flows.costs import cost_of
from wizards.flows.locks import lock_of, locked_objects
from wizards.flows.plan_rules import setting_of


def privileges(context: CheckContext) -> Found | None:
    """C1: everything that the plan changes may be changed."""
    plan, known = context.plan, context.known
    needed: dict[str, list[ChangedObject]] = {}
    targets = {one.id: one.changed for one in plan.objects}
    for change in (*plan.changes, *(one for phase in plan.phases for one in phase.changes)):
        described = setting_of(known, change.setting)
        for privilege in described.privileges if described is not None else ():
            needed.setdefault(privilege, []).append(targets[change.object])
    makers = [one.vm for one in plan.workers if one.vm and any(disk.is_made for disk in one.disks)]
    for privilege in known.own_privileges["disk"] if makers else ():
        needed.setdefault(privilege, []).extend(targets[vm] for vm in makers)
    if context.around.kind != "vcenter" or not needed:
        return None
    unique = {name: tuple(dict.fromkeys(objects)) for name, objects in needed.items()}
    lacking = {name: objects for name, objects in context.environment.privileges(unique).items() if objects}
    if lacking:
        name, objects = next(iter(lacking.items()))
        where = listed([one.name for one in objects])
        more = f", and {len(lacking) - 1} more privileges" if len(lacking) > 1 else ""
        return Found("block", f"{name} is lacking on {where}{more}.", tuple(lacking))
    return Found("ok", f"{len(unique)} of {len(unique)} privileges held.")


def drs(context: CheckContext) -> Found | None:
    """C5: DRS will not move a worker while it is measured."""
    cluster = context.cluster()
    if cluster is None or cluster.facts.get("drs_enabled") is None:
        return None
    changed = {one.setting for one in context.plan.changes}
    changed |= {one.setting for phase in context.plan.phases for one in phase.changes}
    name = shown(cluster.object.name)
    moves = is_true(cluster, "drs_enabled") and cluster.facts.get("drs_behaviour") == "fullyAutomated"
    if moves and "drs.behaviour" not in changed:
        return Found(
            "warn", f"DRS of {name} is fully automated and may move a worker.", (cluster.object.name,)
        )
    return Found("ok", f"DRS of {name} moves nothing by itself, or the plan holds it.")


def hosts(context: CheckContext) -> Found | None:
    """C6: hosts are connected and not in maintenance."""
    found = context.hosts()
    if not found:
        return None
    away = [one for one in found if not is_true(one, "connected") or is_true(one, "in_maintenance")]
    if away:
        gone = {one.object.id for one in away}
        left = tuple(vm.object.name for vm in context.vms() if vm.parent in gone)
        return Found("block", f"Not connected or in maintenance: {listed(names(away))}.", names(away), left)
    return Found("ok", f"{len(found)} of {len(found)} hosts connected.")


def alike(context: CheckContext) -> Found | None:
    """C6b: hosts have the same build and CPU."""
    found = context.hosts()
    if not found:
        return None
    kinds = {(one.facts.get("build"), one.facts.get("cpu_model")) for one in found}
    if len(kinds) > 1:
        return Found("warn", f"The {len(found)} hosts differ in build or CPU.", names(found))
    return Found("ok", f"{len(found)} hosts of the same build and CPU.")


def power(context: CheckContext) -> Found | None:
    """C7: hosts have the same power policy, and it saves nothing."""
    found = context.hosts()
    policies = {str(one.facts["power_policy"]) for one in found if one.facts.get("power_policy")}
    if not policies:
        return None
    text = ", ".join(shown(one) for one in sorted(policies))
    if policies == {"static"}:
        return Found("ok", "Power policy High performance on all hosts.")
    return Found("warn", f"Power policy: {text}.", names(found))


def space(context: CheckContext) -> Found | None:
    """C8: what the run makes fits, and no datastore gets too full."""
    stores = context.datastores()
    if not stores:
        return None
    limit, texts, full = context.limit("C8"), [], []
    for store in stores:
        free, size = number(store, "free_bytes"), number(store, "capacity_bytes")
        need = sum(
            disk.size_bytes
            for worker in context.plan.workers
            for disk in worker.disks
            if disk.datastore == store.object.id
        )
        if free is None or not size:
            return Found("unknown", f"The space of {shown(store.object.name)} could not be read.")
        used = 100 * (size - free + need) / size
        texts.append(f"{shown(store.object.name)} {used:.0f} % of {limit:g} %")
        if need > free or (used > limit and need):
            full.append(store)
    if full:
        return Found("block", f"Too full after filling: {', '.join(texts)}.", names(full))
    return Found("ok", f"Used after filling: {', '.join(texts)}.")


def counters_flow(context: CheckContext) -> Found | None:
    """C10: real-time samples of the hosts are fresh."""
    ages = {one.object.name: number(one, "sample_age_s") for one in context.hosts()}
    known = {name: age for name, age in ages.items() if age is not None}
    if not ages:
        return None
    old = {name: age for name, age in known.items() if age > context.limit("C10")}
    if old:
        return Found("block", f"No fresh counters of {listed(list(old))}.", tuple(old))
    if not known:
        return Found("unknown", "The age of the hosts' counters could not be read.", tuple(ages))
    return Found("ok", f"20 s samples flow, newest {max(known.values()):.0f} s old.")


def quiet(context: CheckContext) -> Found | None:
    """C11: others do little on the datastores, beside what the test will do."""
    stores, limit = context.datastores(), context.limit("C11")
    if not stores:
        return None
    added = cost_of(context.plan, context.known, context.jobs).iops
    for store in stores:
        others = number(store, "other_iops")
        if others is None:
            return Found("unknown", f"The load on {shown(store.object.name)} could not be read.")
        share = 100 * others / added if added else 0.0
        if share > limit:
            name = shown(store.object.name)
            text = f"Other VMs do {others:.0f} I/Os a second on {name}, {share:.0f} % of the test."
            return Found("warn", text, (store.object.name,))
    return Found("ok", f"Quiet: other VMs do under {limit:g} % of the test's I/O.")


def locks(context: CheckContext) -> Found | None:
    """C12: no other run holds the objects."""
    objects = locked_objects(context.plan)
    if not objects:
        return None
    for changed in objects:
        try:
            holder = lock_of(context.environment.settings, changed)
        except HyperscopeError as error:
            return Found("unknown", f"The lock of {shown(changed.name)} could not be read: {error.happened}")
        if holder is not None and holder.run != context.run:
            return Found("block", holder.sentence(changed.name, context.around.now_ms), (changed.name,))
    return Found("ok", f"No other test holds the {len(objects)} objects.")
