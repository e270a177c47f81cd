"""The counters that a server defines are stored with the recording, all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from collectors.vsphere.counters.metrics import Definition, choose_realtime
from collectors.vsphere.options import VSphereOptions
from resources.catalogue import load_catalogue
from resources.vcenter_presets import ByKind, Preset
from sessions.server_counters import server_counters
from tests.vcenter.running import TestVCenter
from tests.vsphere.recording import Recording, hasty

Start = Callable[..., TestVCenter]


def test_the_whole_catalogue_of_a_vcenter_is_stored(start_vcenter: Start, tmp_path: Path) -> None:
    server = start_vcenter(hosts=1, vms=1, interval=1, history=5, rollup_days=0)
    with Recording(server, VSphereOptions(extra_dirs=hasty(tmp_path), rollups=False)) as recording:
        recording.rounds(1)
    ((ref, counters),) = server_counters(recording.feed.facts).items()
    assert ref.kind == "vcenter"
    assert ref in recording.feed.entities
    assert len(counters) >= 560
    by_name = {one.name: one for one in counters}
    ready = by_name["cpu.ready.summation"]
    assert (ready.unit, ready.stats, ready.level, ready.device_level) == ("millisecond", "delta", 1, 3)
    assert ready.label == "Ready"
    assert ready.summary.startswith("Time that the virtual machine was ready")
    assert by_name["gpu.temperature.average"].unit == "celsius"
    assert by_name["power.energy.summation"].unit == "joule"


def test_an_esxi_hosts_catalogue_is_its_own(start_vcenter: Start, tmp_path: Path) -> None:
    server = start_vcenter(esxi=True, vms=1, interval=1, history=5)
    with Recording(server, VSphereOptions(extra_dirs=hasty(tmp_path)), scheme="esxi") as recording:
        recording.rounds(1)
    ((ref, counters),) = server_counters(recording.feed.facts).items()
    assert ref.kind == "host"
    assert ref in recording.feed.entities
    assert 300 < len(counters) < 500


@pytest.mark.parametrize("unit", ["celsius", "joule", "watt", "nanosecond", "furlong"])
def test_a_counter_in_a_unit_that_we_do_not_know_is_recorded(unit: str) -> None:
    preset = Preset(
        "t", "test", (), raw=ByKind(host=("mem.tierLatency.average[*]", "mem.tierLatency.average"))
    )
    defined = [Definition(7, "mem.tierLatency.average", unit)]
    chosen = choose_realtime("host", defined, load_catalogue(), preset, None)
    assert chosen.ids == ((7, ""), (7, "*"))
    meaning = chosen.meaning("7", "0")
    assert meaning is not None
    assert (meaning.key, meaning.unit, meaning.scale(20, 1)) == (
        "raw/vcenter/mem.tierLatency.average",
        unit,
        1.0,
    )
