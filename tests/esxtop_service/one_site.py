"""One lab scenario recorded three ways: by its vCenter, by its hosts' esxtop services, and by both at once.

The vCenter is the test vCenter, asked by the collector; what hosts answer to FetchStats goes through decoder,
sampler and series, faster than a host would answer, and its VMs are recognised by the same vCenter.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from collectors.esxtop_service.importing import SessionFeed
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
from lab.esxtop_service import HostService, is_up, services_of
from lab.service_lines import lab_counter_info
from recorder.limits import load_recorder_limits
from recorder.recording import Recording
from recorder.writing import SpaceRules
from resources.catalogue import load_catalogue
from sessions.model import EntityRef, SourceSpec
from sessions.store import SessionWriter
from tests.esxtop_service.service_files import write_processes
from tests.vcenter.running import PASSWORD, TestVCenter

SEED = 2
WAYS = ("vcenter", "esxtop", "both")


@contextmanager
def connected(server: TestVCenter) -> Iterator[VSphere]:
    address = parse_address(server.address, (VCENTER,))
    with VSphere(address, lambda: PASSWORD, thumbprint=server.thumbprint) as vsphere:
        yield vsphere


class Played:
    """A ``Collector`` that plays what a lab's hosts answer, to its feed and to a session of their own."""

    name = "esxtop://lab"

    def __init__(self, server: TestVCenter, lab: Lab, shift_ms: int, alone: Path) -> None:
        self._server, self._lab, self._shift_ms, self._alone = server, lab, shift_ms, alone
        self.is_done = threading.Event()

    def run(self, feed: Feed, controls: Controls) -> None:
        with connected(self._server) as vsphere, SessionWriter.create(self._alone, bulk=True) as writer:
            moids = {host.name: host for host in hosts_of(vsphere)}
            hosts = []
            for service in services_of(self._lab):
                spec = SourceSpec("esxtop", service.name, self._lab.interval_s)
                host = moids[service.name]
                ref = EntityRef("host", service.name)
                book = VmBook(vsphere, host.moid, ref, service.name)
                number, source = feed.add_source(spec), writer.add_source(spec)
                series = [
                    HostSeries(one, at, load_catalogue(), book)
                    for one, at in ((feed, number), (SessionFeed(writer), source))
                ]
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
                        moved = replace(sample, t_ms=sample.t_ms + self._shift_ms)
                        for one in series:
                            one.add(moved, reply)
        feed.flush()
        self.is_done.set()
        controls.wait()

    def _sample(self, service: HostService, sampler: Sampler) -> tuple[Sample | None, Reply]:
        reply = decode(service.reply(), lab_counter_info())
        return sampler.add(reply), reply


def record_three_ways(
    scenario: str, folder: Path, start_vcenter: Callable[..., TestVCenter]
) -> tuple[Lab, int, dict[str, Path]]:
    """Record a scenario each way; return the lab, the time of its start in the sessions, and these."""
    lab = Lab(load_scenarios()[scenario], seed=SEED, fields="all")
    document: dict[str, Any] = dict(
        vcenter_document(Lab(load_scenarios()[scenario], seed=SEED), catalogue=load_catalogue())
    )
    site, replies = folder / "site.json", folder / "replies"
    site.write_text(json.dumps(document), encoding="utf-8")
    replies.mkdir()
    for number, name in enumerate(lab.hosts):
        (replies / name).mkdir()
        write_processes(replies / name, lab, number)
    server = start_vcenter(site, esxtop=replies, history=document["ticks"], rollup_days=0)
    # The vCenter's first sample is of the last tick of its first interval.
    start_ms = round((server.epoch - document["interval_s"] + lab.tick_s) * 1000)
    sessions = {way: folder / f"{way}.hscope" for way in WAYS}
    played = Played(server, lab, start_ms - lab.start_ms, sessions["esxtop"])
    end_ms = start_ms + round(lab.duration_s * 1000)
    _record([_vcenter(server)], sessions["vcenter"], end_ms, None)
    _record([_vcenter(server), played], sessions["both"], end_ms, played.is_done)
    return lab, start_ms, sessions


def _vcenter(server: TestVCenter) -> Collector:
    address = parse_address(server.address, (VCENTER,))
    return VSphereCollector(address, lambda: PASSWORD, VSphereOptions(), thumbprint=server.thumbprint)


def _record(collectors: list[Collector], session: Path, end_ms: int, also: threading.Event | None) -> None:
    """Record until the vCenter has told all until ``end_ms``, and ``also`` is set."""
    changed = threading.Event()
    recording = Recording(
        collectors, session, load_recorder_limits(), SpaceRules(0, 0.0, 0), on_change=lambda _: changed.set(),
        on_over=changed.set,
    )  # fmt: skip
    recording.start()
    while not recording.is_over:
        last = [one.health.last_ms or 0 for one in recording.status().sources if one.kind == "vcenter"]
        if last and max(last) >= end_ms - 20_000 and (also is None or also.is_set()):
            break
        changed.clear()
        changed.wait(0.5)
    recording.stop()
    outcome = recording.finish()
    assert outcome.error is None, outcome.error
