"""Samples of a host as series of a session, while worlds and devices come and go."""

from __future__ import annotations

import numpy as np

from collectors.esxtop_service.reply import decode
from collectors.esxtop_service.sampling import Sampler
from collectors.esxtop_service.series import HostSeries
from lab import Lab, load_scenarios
from lab.esxtop_service import HostService
from lab.service_lines import lab_counter_info
from resources.catalogue import load_catalogue
from sessions.model import EntityRef, SourceSpec
from tests.vsphere.feeds import MemoryFeed


def stored(scenario: str, host: int, ticks: int) -> tuple[Lab, MemoryFeed]:
    """The first samples of a host of the lab in a feed."""
    lab = Lab(load_scenarios()[scenario], seed=1, fields="all")
    service, sampler, feed = HostService(lab, host), Sampler(lab.hosts[host]), MemoryFeed()
    series = HostSeries(feed, feed.add_source(SourceSpec("esxtop", lab.hosts[host])), load_catalogue())
    for _ in range(ticks):
        lab.tick()
        service.step()
        reply = decode(service.reply(), lab_counter_info())
        sample = sampler.add(reply)
        if sample is not None:
            series.add(sample, reply)
    return lab, feed


def test_a_sample_is_stored_under_the_catalogues_keys() -> None:
    lab, feed = stored("default", 0, 3)
    vms = [ref for ref in feed.entities if ref.kind == "vm"]
    assert len(feed.layouts) == 1
    assert len(vms) == sum(vm.host == 0 for vm in lab.cluster.vms)
    ready = [key for key in feed.samples if key[2] == "cpu.ready" and key[1].kind == "vm"]
    assert len(ready) == len(vms)
    assert {len(feed.samples[key]) for key in ready} == {2}


def test_facts_are_told_once() -> None:
    _, feed = stored("default", 0, 4)
    told = [(fact.entity, fact.name, fact.start) for fact in feed.facts]
    names = {fact.name for fact in feed.facts}
    assert len(told) == len(set(told))
    assert names >= {
        "host",
        "vcpus",
        "path.device",
        "nic.switch",
        "port.uplink",
        "mem.size_mb",
        "nic.speed_mbps",
    }
    assert len([fact for fact in feed.facts if fact.name == "vcpus"]) == len(
        {e for e in feed.entities if e.kind == "vm"}
    )


def test_who_comes_later_gets_a_layout_and_who_stays_keeps_the_old_one() -> None:
    lab = Lab(load_scenarios()["event-power-on-mid-recording"], seed=1, fields="all")
    late = int(np.flatnonzero(lab.absent_at_start)[0])
    host = lab.cluster.vms[late].host
    lab, feed = stored("event-power-on-mid-recording", host, round(lab.duration_s / lab.tick_s))
    vm = EntityRef("vm", f"{lab.hosts[host]}/vm/{lab.cluster.vms[late].group_id}")
    assert vm in feed.entities
    assert len(feed.layouts) > 1
    series = [
        (source, spec.entity, spec.counter, spec.instance) for source, specs in feed.layouts for spec in specs
    ]
    assert len(series) == len(set(series))  # each in one layout
    assert feed.twice == []
    whole = feed.samples[1, EntityRef("host", lab.hosts[host]), "cpu.load_1m", ""]
    part = next(there for key, there in feed.samples.items() if key[1:3] == (vm, "cpu.ready"))
    assert 0 < len(part) < len(whole)
    assert max(part) == max(whole)
