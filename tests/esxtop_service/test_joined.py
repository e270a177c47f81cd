"""vCenter and the esxtop services of its hosts in one recording: each VM, host and part of them once."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from collectors.feed import Collector
from collectors.guest.options import GuestOptions
from collectors.guest.tools import ToolsCollector
from collectors.vsphere.collector import VSphereCollector
from collectors.vsphere.options import VSphereOptions
from connections.address import parse_address
from connections.vsphere.address import VCENTER, parse_guests_address
from connections.vsphere.guest_vms import guest_vms
from connections.vsphere.session import VSphere
from lab import Lab
from sessions.guest_vms import vms_of_guests
from sessions.model import EntityRef
from tests.esxtop_service.conftest import Start as StartServer
from tests.esxtop_service.conftest import collector
from tests.esxtop_service.joined_site import write_moving_site, write_site
from tests.vcenter.running import GUEST_PASSWORD, GUEST_USER, PASSWORD, USER, TestVCenter
from tests.vsphere.feeds import MemoryFeed, Stop

pytestmark = pytest.mark.slow


def vcenter(server: TestVCenter) -> Collector:
    address = parse_address(server.address, (VCENTER,))
    return VSphereCollector(
        address, lambda: PASSWORD, VSphereOptions(backfill=False), thumbprint=server.thumbprint
    )


@contextmanager
def recorded(*collectors: Collector) -> Iterator[MemoryFeed]:
    """What the collectors hand over, all to one feed, until the block ends."""
    feed, stop = MemoryFeed(), Stop()
    threads = [threading.Thread(target=one.run, args=(feed, stop)) for one in collectors]
    with ExitStack() as ending:
        for thread in threads:
            thread.start()
            ending.callback(thread.join)
        ending.callback(stop.set)
        yield feed


def sources_of(feed: MemoryFeed, ref: EntityRef, counter: str) -> set[str]:
    """The kinds of the sources that have samples of a counter of an entity."""
    return {
        feed.sources[key[0]].kind for key, times in feed.samples.items()
        if key[1] == ref and key[2] == counter and times
    }  # fmt: skip


def joined_by(feed: MemoryFeed) -> Counter[str]:
    return Counter(str(one.value) for one in feed.facts if one.name == "joined_by")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Lab]:
    return write_site(tmp_path_factory.mktemp("site"))


@pytest.fixture
def started(start_vcenter: StartServer, site: tuple[Path, Path, Lab]) -> TestVCenter:
    document, replies, _ = site
    return start_vcenter(document, esxtop=replies, esxtop_interval=2)


def guest(server: TestVCenter) -> Collector:
    """The guest of the first VM that runs, through VMware Tools."""
    with VSphere(
        parse_address(server.address, (VCENTER,)), lambda: PASSWORD, thumbprint=server.thumbprint
    ) as one:
        vm = next(vm.moid for vm in guest_vms(one) if vm.is_on and vm.has_tools and not vm.is_windows)
    address = parse_guests_address(f"tools://{GUEST_USER}@{server.place.host}:{server.place.port}/{vm}")
    return ToolsCollector(
        address, USER, lambda: PASSWORD, lambda: GUEST_PASSWORD, GuestOptions(1), thumbprint=server.thumbprint
    )


def test_every_vm_is_the_vcenters(started: TestVCenter, site: tuple[Path, Path, Lab]) -> None:
    hosts = site[2].hosts[:2]
    sources = [vcenter(started), collector(started, ",".join(hosts))]
    if sys.platform == "linux":  # the guest is this machine
        sources.append(guest(started))
    with recorded(*sources) as feed:
        feed.until(
            lambda: (
                sum(bool(one.received) for one in feed.health.values() if one.interval_s != 300)
                == len(sources) + 1
            )
        )
    vms = {ref: entity for ref, entity in feed.entities.items() if ref.kind == "vm"}
    assert all("/vm/" not in ref.key for ref in vms)
    on_hosts = {ref for ref in vms if "esxtop" in sources_of(feed, ref, "cpu.ready")}
    both = {ref for ref in on_hosts if sources_of(feed, ref, "cpu.ready") == {"esxtop", "vcenter"}}
    assert len(both) == len(on_hosts) > 10
    assert joined_by(feed).keys() == {"the ids of its worlds"}
    for kind, counter in (("vcpu", "cpu.ready"), ("vdisk", "vdisk.reads"), ("port", "net.packets_rx")):
        parts = {ref for ref in feed.entities if ref.kind == kind and ref.key.partition("/")[0] in {
            vm.key for vm in both}}  # fmt: skip
        assert any(sources_of(feed, ref, counter) == {"esxtop", "vcenter"} for ref in parts), kind
    if len(sources) > 2:
        (joined,) = vms_of_guests(feed.entities, feed.facts).values()
        assert (joined.vm in vms, joined.how) == (True, "UUID")
    clusters = {feed.entities[ref].parent for ref in (*both, *(EntityRef("host", one) for one in hosts))}
    assert {one.kind for one in clusters if one is not None} == {"cluster"}
    assert feed.twice == []


def test_an_esxcli_that_refuses_leaves_names_which_are_called_guesses(
    started: TestVCenter, site: tuple[Path, Path, Lab]
) -> None:
    host = site[2].hosts[0]
    started.fault("esxtop", host=host, value="no esxcli")
    with recorded(collector(started, host)) as feed:
        feed.until(lambda: any(one.received for one in feed.health.values()))
    assert joined_by(feed).keys() == {"its name alone: a guess"}


@pytest.fixture(scope="module")
def moving(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Lab, EntityRef]:
    """A VM of the first host moves to the second after 20 s."""
    return write_moving_site(tmp_path_factory.mktemp("moving"))


def test_a_vm_that_moves_to_another_recorded_host_stays_one(
    start_vcenter: Callable[..., TestVCenter], moving: tuple[Path, Path, Lab, EntityRef]
) -> None:
    document, replies, lab, vm = moving
    server = start_vcenter(document, esxtop=replies, esxtop_interval=2)

    def hosts_with_samples() -> dict[str, list[int]]:
        return {
            feed.sources[key[0]].name: sorted(times)
            for key, times in feed.samples.items()
            if key[1] == vm and key[2] == "cpu.ready" and len(times) > 1
        }

    with recorded(collector(server, ",".join(lab.hosts[:2]))) as feed:
        feed.until(lambda: len(hosts_with_samples()) == 2)
        assert {one.message for one in feed.health.values()} == {""}
    times = hosts_with_samples()
    assert list(times) == list(lab.hosts[:2])
    assert max(times[lab.hosts[0]]) < min(times[lab.hosts[1]])
    assert [one.value for one in feed.facts if one.entity == vm and one.name == "host"] == list(lab.hosts[:2])
    assert [one.end for one in feed.facts if one.entity == vm] == [None] * len(
        [one for one in feed.facts if one.entity == vm]
    )
    names = [entity.name for ref, entity in feed.entities.items() if ref.kind == "vm" and ref == vm]
    assert names == [next(one.name for one in lab.cluster.vms if one.host == 0)]
    assert feed.twice == []
