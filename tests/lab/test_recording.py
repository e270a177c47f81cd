"""Recording the lab in bulk: what is in the file, what is missing from it, and how it is stopped."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest

from lab import Lab, Pace, record_lab
from lab.live import LiveLab
from lab.physics import TICK_S
from resources.failures import CancelledError
from sessions.model import Kind
from sessions.store import SessionReader, SessionWriter
from tests.lab.in_memory import lab_session
from tests.lab.runs import SCENARIOS
from tests.vsphere.feeds import MemoryFeed, Stop


def a_lab(scenario: str = "cpu-limit-vm") -> Lab:
    return Lab(SCENARIOS[scenario], seed=8, fields="default")


def test_every_host_is_a_source_with_all_of_its_columns(tmp_path: Path) -> None:
    with SessionWriter.create(tmp_path / "a.hscope", durable=False) as writer:
        record_lab(a_lab(), writer, duration_s=60)
    with SessionReader.open(tmp_path / "a.hscope") as session:
        sources = session.sources()
        assert [(one.spec.kind, one.spec.name) for one in sources] == [
            ("lab", host) for host in a_lab().hosts
        ]
        assert all(one.ticks == 12 and one.spec.interval_s == 5.0 for one in sources)
        assert len(session.series()) == sum(len(columns) for columns in a_lab().columns())
        assert dict(sources[0].spec.attributes)["scenario"] == "cpu-limit-vm"


def test_memory_and_file_hold_the_same(tmp_path: Path) -> None:
    memory = lab_session(a_lab(), duration_s=120)
    with SessionWriter.create(tmp_path / "a.hscope", durable=False) as writer:
        record_lab(a_lab(), writer, duration_s=120)
    with SessionReader.open(tmp_path / "a.hscope") as session:
        ids = np.array([one.id for one in memory.series()])
        assert [one.spec for one in session.series()] == [one.spec for one in memory.series()]
        for one, other in zip(memory.read(ids), session.read(ids), strict=True):
            np.testing.assert_array_equal(one.values, other.values)
        assert set(memory.facts()) == set(session.facts())
        assert list(memory.gaps()) == list(session.gaps())


def test_the_first_sample_has_no_io_and_the_filled_group_is_a_gap() -> None:
    session = lab_session(a_lab())
    io = [one.id for one in session.series({"disk.commands", "vdisk.latency_read"})]
    for frame in session.read(np.array(io)):
        assert np.isnan(frame.values[0]).all()
        assert not np.isnan(frame.values[1:]).any()
    gaps = session.gaps()
    assert len(gaps) == 4
    assert {gap.entity.key.rpartition("/")[2] for gap in gaps if gap.entity} == {"8"}
    assert all(gap.ticks == 1 for gap in gaps)


def test_pauses_are_gaps_of_the_whole_source() -> None:
    session = lab_session(a_lab("data-gaps"))
    pauses = [gap for gap in session.gaps() if gap.entity is None and gap.source == 1]
    times = session.times(1)
    missing = sum(gap.ticks or 0 for gap in pauses)
    assert len(pauses) > 3
    assert missing == (times[-1] - times[0]) // 5000 + 1 - len(times)
    for gap in pauses:
        assert not ((times >= gap.start) & (times <= gap.end)).any()


def test_facts_tell_vcpus_limits_and_speeds() -> None:
    lab = Lab(SCENARIOS["cpu-limit-vm"], seed=8, fields="all")
    victim = lab.cluster.vms[lab.cluster.cast["victim"].members[0]]
    session = lab_session(lab, duration_s=60)
    entity = next(
        one.ref for one in session.entities().values() if one.name == victim.name and one.ref.kind == "vm"
    )
    facts = {fact.name: fact.value for fact in session.facts() if fact.entity == entity}
    assert facts["vcpus"] == victim.vcpus
    assert facts["mem.size_mb"] == victim.mem_mb
    assert facts["host"] == lab.hosts[victim.host]
    mhz = lab.cluster.hosts[victim.host].mhz
    assert facts["cpu.limit_mhz"] == pytest.approx(victim.limit_share * victim.vcpus * mhz, abs=1)


def test_entities_are_joined_across_classes() -> None:
    lab = a_lab()
    session = lab_session(lab, duration_s=10)
    kinds: dict[Kind, int] = {}
    for ref in session.entities():
        kinds[ref.kind] = kinds.get(ref.kind, 0) + 1
    assert kinds["host"] == 4
    assert kinds["vm"] == len(lab.cluster.vms)
    assert kinds["vcpu"] == sum(vm.vcpus for vm in lab.cluster.vms)
    assert kinds["vdisk"] == sum(len(vm.disks) for vm in lab.cluster.vms)
    assert kinds["nic"] == 16
    assert kinds["datastore"] == 1
    assert kinds["device"] == 7 + 2 * 4
    assert not [one.counter for one in session.series() if one.counter.startswith("raw/")]


def test_the_pace_is_so_many_times_real_time_and_ends_when_it_is_told() -> None:
    stop = threading.Event()
    pace, at_once = Pace(40, stop), Pace(0, stop)
    began = time.monotonic()
    assert all(pace.wait(seconds) is not None for seconds in (5.0, 10.0, 20.0))
    assert time.monotonic() - began >= 0.5
    late_s = pace.wait(0.0)
    assert late_s is not None
    assert late_s >= 0.5
    assert at_once.wait(3600.0) == 0.0
    stop.set()
    assert pace.wait(3600.0) is None
    assert at_once.wait(0.0) is None


def test_stopping_keeps_what_there_is(tmp_path: Path) -> None:
    stop = threading.Event()
    writer = SessionWriter.create(tmp_path / "a.hscope", durable=False)
    with pytest.raises(CancelledError), writer:
        record_lab(
            a_lab(), writer, cancel=stop,
            progress=lambda progress: stop.set() if progress.seconds >= 30 else None,
        )  # fmt: skip
    with SessionReader.open(tmp_path / "a.hscope") as session:
        assert session.sources()[0].ticks == 6


def test_going_on_stops_while_it_runs_up_to_what_is_stored() -> None:
    feed, stopped, going = MemoryFeed(), Stop(), Stop()
    stopped.set()
    first = LiveLab(a_lab(), feed)
    for _ in range(4):
        first.step(paused=False, late_s=0.0)
    lab = a_lab()
    start = lab.now_ms
    assert LiveLab(lab, feed).skip_recorded(stopped) == 0
    assert lab.now_ms == start
    assert LiveLab(lab, feed).skip_recorded(going) == lab.duration_s // TICK_S - 4
    assert lab.now_ms == start + 4 * TICK_S * 1000
