"""Checks of the hosts, of the cluster and its DRS, and of the account."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from resources.foreign_text import shown
from resources.test_privileges import privileges_of_tests
from resources.units import format_count
from sessions.journal import ChangedObject
from wizards.flows.checking.context import Found, Look, fact, names, number, some
from wizards.flows.verdicts.phrases import counted


def connected(look: Look) -> Found:
    """C6: the hosts are connected and not in maintenance."""
    if not look.is_vcenter:
        return Found(None, "Hosts can't be seen over ssh alone", state="note")
    hosts = look.hosts()
    bad = [one for one in hosts if fact(one, "connected") is not True or fact(one, "in_maintenance") is True]
    if bad:
        what = "is in maintenance" if fact(bad[0], "in_maintenance") is True else "is not connected"
        on_it = tuple(
            one.name for one, seen in look.seen() if seen and seen.vm and seen.vm.parent == bad[0].object.id
        )
        return Found(False, f"{shown(bad[0].object.name, 60)} {what}", names(bad), on_it)
    return Found(True, f"{format_count(len(hosts))} of {format_count(len(hosts))} hosts connected")


def alike(look: Look) -> Found:
    """C6b: the hosts have the same build and processor."""
    hosts = look.hosts()
    for name, word in (("build", "builds"), ("cpu_model", "processors")):
        values = {str(fact(one, name)) for one in hosts if fact(one, name) is not None}
        if len(values) > 1:
            return Found(
                False,
                f"The hosts have different {word}: {shown(' and '.join(sorted(values)[:2]), 120)}",
                names(hosts),
            )
    return Found(True, "The hosts have the same build and processor") if hosts else _no_hosts()


def power_policy(look: Look) -> Found:
    """C7: all hosts have the same power policy."""
    if not look.is_vcenter:
        return _no_hosts()
    hosts = look.hosts()
    policies = {str(fact(one, "power_policy")) for one in hosts if fact(one, "power_policy") is not None}
    if not policies:
        return Found(None, "The hosts' power policy could not be read", state="note")
    if len(policies) > 1:
        return Found(
            False, f"The hosts have different power policies: {', '.join(sorted(policies))}", names(hosts)
        )
    return Found(True, f"Power policy {next(iter(policies))} on all hosts, noted")


def counters_flow(look: Look) -> Found:
    """C10: real-time samples of every host are fresh."""
    if not look.is_vcenter:
        return Found(None, "Without a vCenter only the guests' own numbers are recorded", state="note")
    most = look.limit("C10", 120.0)
    ages = [(number(one, "sample_age_s"), one.object.name) for one in look.hosts()]
    unknown = [name for age, name in ages if age is None]
    if unknown:
        return Found(None, f"No real-time sample of {some(unknown)} was found", tuple(unknown))
    worst, name = max(((age or 0.0, name) for age, name in ages), default=(0.0, ""))
    if worst > most:
        return Found(
            False, f"The newest sample of {shown(name, 60)} is {worst:.0f} s old, limit {most:g} s", (name,)
        )
    return Found(True, f"Samples flow, newest {worst:.0f} s old")


def several_hosts(look: Look) -> Found:
    """S3: the workers are on several hosts."""
    hosts = {vm.parent for vm in look.vms()}
    least = max(2, look.test.hosts_least)
    text = f"{format_count(len(look.vms()))} workers on {format_count(len(hosts))} hosts, at least {least}"
    return Found(len(hosts) >= least, text)


def one_host(look: Look) -> Found:
    """S4: the workers are on one host."""
    hosts = look.hosts()
    if len(hosts) == 1:
        return Found(True, f"All workers are on {shown(hosts[0].object.name, 60)}")
    return Found(False, f"The workers are on {format_count(len(hosts))} hosts", names(hosts))


def drs_stands_still(look: Look) -> Found:
    """C5: DRS will not move a worker in the middle of a measurement."""
    if not look.is_vcenter:
        return Found(None, "DRS can't be seen over ssh alone", state="note")
    planned = {one.setting for phase in look.plan.phases for one in phase.changes}
    planned |= {one.setting for one in look.plan.changes}
    if planned & {"drs.behaviour", "host"}:
        return Found(True, "The test sets DRS itself, and puts it back")
    moved = [vm for vm in look.vms() if fact(vm, "drs_behaviour") == "fullyAutomated"]
    if moved:
        return Found(False, f"DRS is fully automated and may move {some(names(moved))}", names(moved))
    if any(fact(vm, "drs_behaviour") is None for vm in look.vms()):
        return Found(None, "DRS's automation could not be read", state="warn")
    return Found(True, "DRS moves no worker by itself")


def vms_can_move(look: Look) -> Found:
    """D1: every host has vMotion."""
    without = [one for one in look.hosts() if fact(one, "vmotion") is not True]
    if without:
        return Found(False, f"{shown(without[0].object.name, 60)} has no adapter for vMotion", names(without))
    return Found(True, f"vMotion on {format_count(len(look.hosts()))} hosts")


def drs_is_on(look: Look) -> Found:
    """D2: DRS is on in the cluster."""
    cluster = look.chosen("cluster")
    if cluster is None or fact(cluster, "drs_enabled") is None:
        return Found(None, "Whether DRS is on could not be read")
    name = shown(cluster.object.name, 60)
    return (
        Found(True, f"DRS is on in {name}")
        if fact(cluster, "drs_enabled")
        else Found(False, f"DRS is off in {name}")
    )


def others_may_move(look: Look) -> Found:
    """D3: DRS, which the test lets move VMs, moves no VM that takes no part."""
    cluster, workers = look.chosen("cluster"), {one.object.id for one in look.vms()}
    if cluster is None or fact(cluster, "drs_behaviour") is None:
        return Found(None, "Whether DRS moves VMs by itself could not be read")
    hosts = {one.object.id for one in look.around.of_kind("HostSystem") if one.parent == cluster.object.id}
    others = [
        one
        for one in look.around.of_kind("VirtualMachine")
        if one.parent in hosts and one.object.id not in workers and fact(one, "powered_on") is not False
    ]
    if fact(cluster, "drs_behaviour") == "fullyAutomated" or look.around.kind == "lab":
        return Found(True, "DRS moves VMs there as it always does")
    if others:
        count = "1 VM takes" if len(others) == 1 else f"{format_count(len(others))} VMs take"
        text = f"{count} no part and may be moved, too: {some(names(others))}"
        return Found(False, text, names(others))
    return Found(True, "No other VM runs in the cluster")


def privileges(look: Look) -> Found:
    """C1: the account may make every change, and undo it."""
    if look.around.kind != "vcenter":
        what = (
            "Nothing real is changed in the lab"
            if look.around.kind == "lab"
            else "The guests' login is all it takes"
        )
        return Found(True, what)
    needed = _needed(look)
    lacking = look.environment.privileges(needed)
    known, count = _purposes(look), len(needed)
    if not lacking:
        return Found(True, f"{format_count(count)} of {format_count(count)} privileges held")
    objects = tuple(dict.fromkeys(one.name for of in lacking.values() for one in of))
    rows = tuple(known.get(one, (one, "")) for one in lacking)
    title, gives = rows[0]
    more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
    first = f"{title} ({gives}){more}"
    text = f"Your role lacks {format_count(len(lacking))} of {format_count(count)} privileges: {first}"
    listed = "; ".join(
        f"{title} ({gives}) on {some([each.name for each in of])}"
        for (title, gives), of in zip(rows, lacking.values(), strict=True)
    )
    held = count - len(lacking)
    if held:
        rows += ((f"{counted(held, 'other')} held", ""),)
    return Found(
        False, text, objects, mend=f"Ask the vCenter's admin for: {listed}.", lacking=rows,
        request=_request(look, known, lacking),
    )  # fmt: skip


def _request(
    look: Look, known: Mapping[str, tuple[str, str]], lacking: Mapping[str, Sequence[ChangedObject]]
) -> str:
    """Return what to send to the vCenter's admin: which privileges, what for, on which objects."""
    where = shown(" ".join(look.plan.environment), 120)
    lines = [f"The guided test “{look.test.title}” of Hyperscope needs these privileges on {where}:"]
    for one, of in lacking.items():
        title, gives = known.get(one, (one, ""))
        on = ", ".join(shown(each.name, 80) for each in of)
        lines.append(f"- {title} ({one}){f', {gives}' if gives else ''}: on {on}")
    lines.append("Everything that it changes is put back when it ends.")
    return "\n".join(lines)


def _needed(look: Look) -> dict[str, list[ChangedObject]]:
    """Return the privileges that the plan needs, with the objects on which."""
    settings = _settings(look)
    objects: dict[str, list[ChangedObject]] = {}
    chosen = [one for one in (*look.vms(), *look.datastores(), look.chosen("cluster")) if one is not None]
    for one in privileges_of_tests():
        if one.setting in settings:
            on = [each.object for each in chosen if each.object.kind == one.on]
            if on:
                objects[one.id] = on
    return objects


def _settings(look: Look) -> set[str]:
    """Return the settings that the plan changes, without what follows their colon."""
    plan = look.plan
    settings = {one.setting.partition(":")[0] for phase in plan.phases for one in phase.changes}
    settings |= {one.setting.partition(":")[0] for one in plan.changes} | {"attribute"}
    if any(disk.is_made for one in plan.workers for disk in one.disks):
        settings.add("disk")
    if any(phase.work for phase in plan.phases):
        settings.add("process")
    return settings


def _purposes(look: Look) -> dict[str, tuple[str, str]]:
    """Return the title of each privilege and what this plan needs it for, by the privilege's id."""
    found: dict[str, tuple[str, str]] = {}
    settings = _settings(look)
    for one in privileges_of_tests():
        if one.setting in settings:
            found.setdefault(one.id, (one.title, one.gives))
    return found


def _no_hosts() -> Found:
    return Found(None, "Hosts can't be seen over ssh alone", state="note")
