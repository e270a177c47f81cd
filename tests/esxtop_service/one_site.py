"""One lab scenario recorded by its vCenter, by its hosts' esxtop services, by their esxtop over ssh, and by
several of these at once.

The vCenter is the test vCenter, asked by the collector; what hosts answer to FetchStats goes through decoder,
sampler and series, faster than a host would answer, and its VMs are recognised by the same vCenter. What
esxtop writes goes through what cuts and stores a stream over ssh, with the VMs and volumes that a host's
shell tells.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from collectors.esxtop.over_ssh.host_objects import ObjectsOfHost, RunningVm
from collectors.esxtop.over_ssh.questions import RemoteHost
from collectors.esxtop.over_ssh.recorded_host import RecordedHost
from collectors.esxtop.over_ssh.stream import EsxtopOutput, Row
from collectors.esxtop_service.reply import Reply, decode
from collectors.esxtop_service.sampling import Sample, Sampler
from collectors.esxtop_service.series import HostSeries
from collectors.esxtop_service.vm_book import VmBook
from collectors.feed import Collector, Controls, Feed, Health
from collectors.vsphere.collector import VSphereCollector
from collectors.vsphere.options import VSphereOptions
from connections.address import parse_address
from connections.vsphere.address import VCENTER
from connections.vsphere.esxtop_service import hosts_of
from connections.vsphere.session import VSphere
from lab import Lab, load_scenarios, vcenter_document
from lab.esxtop_export import export_lab
from lab.esxtop_service import HostService, is_up, services_of
from lab.service_lines import lab_counter_info
from lab.vcenter_inventory import vm_uuid
from recorder.limits import load_recorder_limits
from recorder.recording import Recording
from recorder.writing import SpaceRules
from resources.catalogue import load_catalogue
from resources.esxtop_streaming import load_esxtop_streaming
from sessions.model import EntityRef, SourceSpec
from tests.esxtop_service.service_files import write_processes
from tests.vcenter.running import PASSWORD, TestVCenter

SEED = 2
COUNTERS, SERVICE, SSH = SOURCES = ("vcenter", "esxtop", "ssh")
_EVENT_TYPES = {("ha", "vm"): "com.vmware.vc.ha.VmRestartedByHAEvent", ("ha", "host"): "DasHostFailedEvent"}
Way = frozenset[str]
"""The sources that are recorded at once."""


@contextmanager
def connected(server: TestVCenter) -> Iterator[VSphere]:
    address = parse_address(server.address, (VCENTER,))
    with VSphere(address, lambda: PASSWORD, thumbprint=server.thumbprint) as vsphere:
        yield vsphere


class Played:
    """A ``Collector`` that plays what a lab's hosts answer to FetchStats."""

    name = "esxtop://lab"

    def __init__(self, server: TestVCenter, lab: Lab, shift_ms: int) -> None:
        self._server, self._lab, self._shift_ms = server, lab, shift_ms
        self.is_done = threading.Event()

    def run(self, feed: Feed, controls: Controls) -> None:
        with connected(self._server) as vsphere:
            moids = {host.name: host for host in hosts_of(vsphere)}
            hosts = []
            for service in services_of(self._lab):
                number = feed.add_source(SourceSpec("esxtop", service.name, self._lab.interval_s))
                ref = EntityRef("host", service.name)
                book = VmBook(vsphere, moids[service.name].moid, ref, service.name)
                series = HostSeries(feed, number, load_catalogue(), book)
                hosts.append((service, Sampler(service.name), book, series))
                feed.report(number, Health("recording"))
            for _ in range(round(self._lab.duration_s / self._lab.interval_s)):
                is_taken = self._lab.tick() is not None
                for number, (service, sampler, book, series) in enumerate(hosts):
                    service.step()
                    if not is_taken or not is_up(self._lab, number):
                        sampler.forget()
                        continue
                    sample, reply = self._sample(service, sampler)
                    book.learn(reply)
                    if sample is not None:
                        series.add(replace(sample, t_ms=sample.t_ms + self._shift_ms), reply)
        feed.flush()
        self.is_done.set()
        controls.wait()

    def _sample(self, service: HostService, sampler: Sampler) -> tuple[Sample | None, Reply]:
        reply = decode(service.reply(), lab_counter_info())
        return sampler.add(reply), reply


class PlayedOverSsh:
    """A ``Collector`` that plays what each host's ``esxtop -b -a`` writes."""

    name = "ssh://lab"

    def __init__(self, lab: Lab, captures: Sequence[Path], volumes: dict[str, str], shift_ms: int) -> None:
        self._lab, self._captures, self._volumes, self._shift_ms = lab, captures, volumes, shift_ms
        self.is_done = threading.Event()

    def run(self, feed: Feed, controls: Controls) -> None:
        limits, catalogue = load_esxtop_streaming(), load_catalogue()
        for number, (name, capture) in enumerate(zip(self._lab.hosts, self._captures, strict=True)):
            host = RecordedHost(feed, name, self._lab.interval_s, limits, catalogue)
            host.connected(RemoteHost(None, True, name, "VMkernel", True, "", "", "", self._objects(number)))
            output = EsxtopOutput(catalogue, limits.greeting_bytes, limits.headers)
            with capture.open("rb") as file:
                for written in chain.from_iterable(output.read(chunk) for chunk in _chunks(file)):
                    if isinstance(written, Row):
                        host.take(replace(written, t_ms=written.t_ms + self._shift_ms), lambda: None)
                    else:
                        host.take(written, lambda: None)
        feed.flush()
        self.is_done.set()
        controls.wait()

    def _objects(self, host: int) -> ObjectsOfHost:
        """What esxcli and the VMs' files tell."""
        cluster = self._lab.cluster
        vms = [
            RunningVm(frozenset({str(vm.cartel), str(vm.cartel - 1)}), vm.name, vm_uuid(cluster, vm))
            for vm in cluster.vms
            if vm.host == host
        ]
        return ObjectsOfHost(tuple(vms), self._volumes)


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(1 << 20):
        yield chunk


class Site:
    """A scenario's test vCenter and its hosts; ``record`` records them in any way."""

    def __init__(
        self, scenario: str, folder: Path, start_vcenter: Callable[..., TestVCenter], seed: int = SEED
    ) -> None:
        self.scenario, self._folder, self._seed = scenario, folder, seed
        self.lab = self._new_lab()
        document: dict[str, Any] = dict(
            vcenter_document(Lab(load_scenarios()[scenario], seed=seed), catalogue=load_catalogue())
        )
        site, replies = folder / "site.json", folder / "replies"
        site.write_text(json.dumps(document), encoding="utf-8")
        replies.mkdir()
        for number, name in enumerate(self.lab.hosts):
            (replies / name).mkdir()
            write_processes(replies / name, self.lab, number)
        self._volumes = {
            one["name"]: one["url"].removeprefix("ds://") for one in document["datastores"] if one["url"]
        }
        self._captures = export_lab(self._new_lab(), folder / "capture.csv", split=True)
        self._server = start_vcenter(site, esxtop=replies, history=document["ticks"], rollup_days=0)
        # The vCenter's first sample is of the last tick of its first interval.
        self.start_ms = round((self._server.epoch - document["interval_s"] + self.lab.tick_s) * 1000)
        for event in document["happened"]:
            self._tell(event)

    def _new_lab(self) -> Lab:
        return Lab(load_scenarios()[self.scenario], seed=self._seed, fields="all")

    def _tell(self, event: dict[str, Any]) -> None:
        """What the scenario's vCenter tells beside its samples: an HA restart or failure that explains some.

        Tasks, and facts that change meanwhile, can't be told of a past that is recorded at once.
        """
        kind, _, name = event["object"].partition(":")
        if (type_ := _EVENT_TYPES.get((event["kind"], kind))) and event["lasted_s"] is None:
            ago = self._server.now() - self.start_ms / 1000 - event["at_s"]
            self._server.fault("event", type=type_, text=event["text"], ago=ago, **{kind: name})

    def record(self, way: Way) -> Path:
        """Record these sources at once into a new session."""
        session = self._folder / f"{'-'.join(sorted(way))}.hscope"
        shift_ms = self.start_ms - self.lab.start_ms
        played: list[Played | PlayedOverSsh] = []
        if SERVICE in way:
            played.append(Played(self._server, self._new_lab(), shift_ms))
        if SSH in way:
            played.append(PlayedOverSsh(self.lab, self._captures, self._volumes, shift_ms))
        collectors: list[Collector] = [_vcenter(self._server)] if COUNTERS in way else []
        end_ms = self.start_ms + round(self.lab.duration_s * 1000)
        _record([*collectors, *played], session, end_ms if COUNTERS in way else None, played)
        return session


def _vcenter(server: TestVCenter) -> Collector:
    address = parse_address(server.address, (VCENTER,))
    return VSphereCollector(address, lambda: PASSWORD, VSphereOptions(), thumbprint=server.thumbprint)


def _record(
    collectors: Sequence[Collector],
    session: Path,
    end_ms: int | None,
    played: Sequence[Played | PlayedOverSsh],
) -> None:
    """Record until the vCenter, if any, has told all until ``end_ms``, and all was played."""
    changed = threading.Event()
    recording = Recording(
        collectors, session, load_recorder_limits(), SpaceRules(0, 0.0, 0), on_change=lambda _: changed.set(),
        on_over=changed.set,
    )  # fmt: skip
    recording.start()
    while not recording.is_over:
        last = [one.health.last_ms or 0 for one in recording.status().sources if one.kind == "vcenter"]
        is_told = end_ms is None or (last and max(last) >= end_ms - 20_000)
        if is_told and all(one.is_done.is_set() for one in played):
            break
        changed.clear()
        changed.wait(0.5)
    recording.stop()
    outcome = recording.finish()
    assert outcome.error is None, outcome.error
