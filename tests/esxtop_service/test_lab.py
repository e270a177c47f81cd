"""A scenario told by the service and printed by batch mode: the same counters of the same entities."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

from collectors.esxtop_names import HostColumns, columns_by_host
from collectors.esxtop_service.checks import check
from collectors.esxtop_service.reply import Reply, decode
from collectors.esxtop_service.sampling import Sample, Sampler
from lab import Lab, load_scenarios
from lab.esxtop_service import HostService
from lab.service_lines import lab_counter_info
from resources.catalogue import load_catalogue
from sessions.model import EntityRef, FloatArray
from tests.esxtop_service.genuine import counter_info, counter_info_text, needs_genuine, reply_bytes

Key = tuple[EntityRef, str, str]
Told = dict[Key, float]
SCENARIOS = ("default", "congested", "mem-swapping-overcommit")


@cache
def played(scenario: str, ticks: int = 12) -> list[tuple[Told, Told]]:
    """The samples of the first host: as batch mode has them, and as the service."""
    lab = Lab(load_scenarios()[scenario], seed=3, fields="all")
    service, sampler = HostService(lab, 0), Sampler(lab.hosts[0])
    batch = columns_by_host(lab.columns()[0], load_catalogue())[0]
    found = []
    for _ in range(ticks):
        tick = lab.tick()
        service.step()
        sample = sampler.add(checked(service))
        if tick is not None and sample is not None:
            own = columns_by_host(sample.shape.paths, load_catalogue())[0]
            assert sample.t_ms == tick.t_ms
            found.append((by_key(batch, tick.rows[0]), by_key(own, sample.values)))
    return found


def checked(service: HostService) -> Reply:
    reply = decode(service.reply(), lab_counter_info())
    assert [one.sentence() for one in check(reply) if not one.holds] == []
    return reply


def by_key(columns: HostColumns, values: FloatArray) -> Told:
    own = values[columns.columns].tolist()
    return {
        (spec.entity, spec.counter, spec.instance): value * spec.scale
        for spec, value in zip(columns.specs, own, strict=True)
    }


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_entities_are_those_of_a_capture(scenario: str) -> None:
    batch, told = played(scenario)[-1]
    ours, theirs = {key[0] for key in told}, {key[0] for key in batch}
    assert ours == theirs


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_series_is_one_that_a_capture_has(scenario: str) -> None:
    batch, told = played(scenario)[-1]
    assert set(told) - set(batch) == set()
    assert [key for key in told if key[1].startswith("raw/")] == []


def test_a_vm_that_is_wider_than_a_node_is_at_home_on_all() -> None:
    """As in the genuine reply: a VM with vCPUs on both nodes of its host has the mask 3."""
    lab = Lab(load_scenarios()["healthy-monsters"], seed=3, fields="all")
    host = next(vm.host for vm in lab.cluster.vms if vm.node < 0)
    service = HostService(lab, host)
    lab.tick()
    service.step()
    groups = checked(service)["SchedGroup"]
    masks = groups.numbers("HomeNodes").tolist()
    homes = {name: int(mask) for name, mask in zip(groups.words("VMName"), masks, strict=True) if mask}
    expected = {vm.name: 1 << vm.node if vm.node >= 0 else 3 for vm in lab.cluster.vms if vm.host == host}
    assert homes == expected
    assert 3 in homes.values()


def test_what_only_a_capture_has() -> None:
    batch, told = played("default")[-1]
    lacking = Counter(
        (ref.kind, counter, "by adapter" in instance) for ref, counter, instance in set(batch) - set(told)
    )
    names = sorted({f"{kind} {counter}" for kind, counter, twice in lacking if not twice})
    assert names == [
        "adapter disk.failed_commands", "adapter disk.failed_read_bytes", "adapter disk.failed_reads",
        "adapter disk.failed_reserves", "adapter disk.failed_write_bytes", "adapter disk.failed_writes",
        "datastore nfs.failed_commands", "datastore nfs.failed_read_mb", "datastore nfs.failed_reads",
        "datastore nfs.failed_reserves", "datastore nfs.failed_write_mb", "datastore nfs.failed_writes",
        "datastore nfs.resets", "device disk.failed_commands", "device disk.failed_read_bytes",
        "device disk.failed_reads", "device disk.failed_reserves", "device disk.failed_write_bytes",
        "device disk.failed_writes", "device disk.world_queue_depth", "device vaai.delete_mb",
        "device vaai.deletes", "device vaai.deletes_failed", "host power.pstate_mhz",
        "path disk.failed_commands", "path disk.failed_read_bytes", "path disk.failed_reads",
        "path disk.failed_reserves", "path disk.failed_write_bytes", "path disk.failed_writes",
        "port net.full_duplex", "port net.link_speed", "port net.link_up",
        "vdisk vdisk.filter_failed_ios", "vdisk vdisk.filter_latency", "vdisk vdisk.filter_total_ios",
        "vm cpu.timers", "vm disk.failed_commands", "vm disk.failed_read_bytes", "vm disk.failed_reads",
        "vm disk.failed_reserves", "vm disk.failed_write_bytes", "vm disk.failed_writes", "vm disk.load",
        "vm disk.queue_depth", "vm disk.used_pct", "vm disk.world_queue_depth",
        "vm vdisk.filter_failed_ios", "vm vdisk.filter_latency", "vm vdisk.filter_total_ios",
        "world cpu.timers", "world disk.failed_commands", "world disk.failed_read_bytes",
        "world disk.failed_reads", "world disk.failed_reserves", "world disk.failed_write_bytes",
        "world disk.failed_writes", "world disk.load", "world disk.queue_depth", "world disk.used_pct",
        "world disk.world_queue_depth",
    ]  # fmt: skip


ONE_COUNT = 0.2 + 0.011
"""Counts are whole: in five seconds a rate is off by 0.2, and batch mode rounds to two decimals."""
EXACT = {
    "cpu.used", "cpu.run", "cpu.system", "cpu.ready", "cpu.costop", "cpu.overlap", "cpu.max_limited",
    "cpu.swap_wait", "cpu.pcpu_used", "cpu.pcpu_util", "cpu.core_util", "mem.size", "mem.consumed",
    "mem.balloon", "mem.balloon_target", "mem.swapped", "mem.swap_read", "mem.swap_write", "mem.touched",
    "mem.compressed_used", "mem.shared_saved", "numa.local_pct", "numa.home_nodes", "disk.queue_depth",
    "disk.active", "disk.queued", "disk.adapter_queue_depth", "net.mbits_tx", "net.mbits_rx",
    "net.link_speed",
    "power.usage", "disk.shares", "cpu.alloc_max", "cpu.alloc_min", "cpu.alloc_shares", "cpu.members",
}  # fmt: skip
"""To the hundredth that batch mode prints (memory of the host to the MB)."""
RATES = {"disk.commands", "disk.reads", "disk.writes", "vdisk.commands", "nfs.commands", "net.packets_tx",
         "net.packets_rx", "cpu.switches", "cpu.wakeups", "interrupt.rate"}  # fmt: skip


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_numbers_are_those_of_a_capture(scenario: str) -> None:
    wrong: dict[str, tuple[float, float]] = {}
    compared: Counter[str] = Counter()
    for batch, told in played(scenario):
        for key, value in told.items():
            ref, counter, instance = key
            known = batch[key]
            if np.isnan(value) or np.isnan(known) or is_of_idle_worlds(ref):
                continue
            compared[counter] += 1
            tolerance = allowed(ref, counter, instance)
            if tolerance is not None and not abs(value - known) <= tolerance:
                wrong[f"{counter} of {ref.kind} {instance}"] = (value, known)
    assert wrong == {}
    assert set(compared) >= EXACT | RATES


def allowed(ref: EntityRef, counter: str, instance: str) -> float | None:
    """How far a number may be off; None for what follows from others, or is an estimate."""
    if counter.startswith("mem.") and ref.kind == "host":
        return 1.0
    if counter in EXACT:
        return 0.011
    if counter not in RATES:
        return None
    # Sums are off by one for each of their counts; commands are reads and writes.
    is_sum = ref.kind in ("vm", "world", "adapter") or (counter == "interrupt.rate" and ":" not in instance)
    return 64 * ONE_COUNT if is_sum else 2 * ONE_COUNT


def is_of_idle_worlds(ref: EntityRef) -> bool:
    """Idle worlds, and their group: batch mode says that they are ready while others run."""
    number = ref.key.rpartition("/")[2]
    is_idle = number.isdigit() and (number == "1" or 2_097_153 <= int(number) < 2_097_300)
    return ref.kind == "world" and is_idle


@pytest.mark.parametrize("layer", ["device", "kernel", "guest"])
def test_latencies_are_those_of_a_capture_where_enough_was_done(layer: str) -> None:
    compared = 0
    for batch, told in played("congested"):
        for key, value in told.items():
            ref, counter, instance = key
            if counter != f"disk.{layer}_latency" or ref.kind != "device":
                continue
            if batch[ref, "disk.commands", instance] > 20:
                compared += 1
                assert value == pytest.approx(batch[key], rel=0.02, abs=0.02)
    assert compared > 20


def test_a_vm_that_comes_later_has_columns_then_which_a_capture_never_has() -> None:
    lab = Lab(load_scenarios()["event-power-on-mid-recording"], seed=1, fields="all")
    late = np.flatnonzero(lab.absent_at_start)
    assert len(late)
    host = lab.cluster.vms[int(late[0])].host
    name = lab.cluster.vms[int(late[0])].name
    service, sampler = HostService(lab, host), Sampler(lab.hosts[host])
    seen: list[bool] = []
    first: Sample | None = None
    for _ in range(round(lab.duration_s / lab.tick_s)):
        lab.tick()
        service.step()
        sample = sampler.add(checked(service))
        if sample is None:
            continue
        there = any(
            path.cls == "Group Cpu" and path.instance.endswith(f":{name}") for path in sample.shape.paths
        )
        if there and not any(seen):
            first = sample
        seen.append(there)
        if len(seen) > 2 and seen[-3:] == [True] * 3:
            break
    assert not seen[0]
    assert seen[-1]
    assert first is not None
    runs = [
        value
        for path, value in zip(first.shape.paths, first.values.tolist(), strict=True)
        if path.cls == "Vcpu" and f":{name}:" in path.instance and path.counter == "% Run"
    ]
    assert runs
    assert np.isnan(runs).all()  # nothing to compare with yet


@needs_genuine
def test_the_labs_replies_have_the_records_and_fields_of_a_genuine_one() -> None:
    lab = Lab(load_scenarios()["default"], seed=1, fields="all")
    service = HostService(lab, 0)
    lab.tick()
    service.step()
    assert lab_counter_info().text().strip() == counter_info_text().strip()
    genuine, ours = decode(reply_bytes(), counter_info()), decode(service.reply(), lab_counter_info())
    assert there(genuine) - there(ours) == set()
    assert there(ours) - there(genuine) == {"NfsClient", "PState", "PStateInfo"}  # that host had none
    assert fields_of(reply_bytes().decode()).items() >= {
        (name, count) for name, count in fields_of(service.reply()).items() if name in there(genuine)
    }


def there(reply: Reply) -> set[str]:
    return {name for name, records in reply.records.items() if len(records)}


def fields_of(text: str) -> dict[str, int]:
    lines = text.partition("==COUNTER-VALUE==\n")[2].splitlines()
    return {line.split("|")[1]: line.count("|") for line in lines}
