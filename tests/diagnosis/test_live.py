"""A session judged again and again while it grows: at each instant the same as one whole diagnosis."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from diagnosis import Diagnosis, diagnose_session
from diagnosis.live import LiveJudge
from diagnosis.messages import Receiver, Sender, encode, read_event
from lab import Lab, find_scenario, load_scenarios
from resources.failures import CancelledError, UsageError
from sessions.model import Entity, EntityRef, FloatArray, SampleSource, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter
from tests.diagnosis.recordings import (
    START,
    Level,
    Recording,
    catalogue,
    diagnosed,
    during,
    problems,
    session,
)
from tests.diagnosis.replaying import replay
from tests.lab.in_memory import lab_session
from tests.some_of_many import one_in

LUN = "naa.600508b4000603860000000000000001"


def judged_at_every_instant(source: SampleSource, path: Path, **how: int) -> list[Diagnosis]:
    """Judge while the session is played; each time it must be what one whole diagnosis gives."""
    found: list[Diagnosis] = []
    reader: SessionReader | None = None
    try:
        for _ in replay(source, path, **how):
            if reader is None:
                reader = SessionReader.open(path)
                judge = LiveJudge(reader, problems(), catalogue())
            one = judge.judge()
            assert one is not None
            with SessionReader.open(path) as fresh:
                whole = diagnose_session(fresh, problems(), catalogue())
            assert one == whole, (len(found), one.verdict == whole.verdict)
            assert judge.judge() is None
            found.append(one)
    finally:
        if reader is not None:
            reader.close()
    return found


@pytest.mark.parametrize(
    "scenario",
    ["cpu-limit-vm", "storage-latency-array-port", "mem-swapping-vm-limit", "net-rx-drops-ring-burst"],
)
def test_lab_scenarios_at_every_instant(scenario: str, tmp_path: Path) -> None:
    lab = Lab(find_scenario(load_scenarios(), scenario), seed=3, fields="diagnosis")
    found = judged_at_every_instant(lab_session(lab), tmp_path / "s.hscope", every=8, ticks=120)
    assert found[0].verdict.state == "not judged yet"
    assert found[-1].verdict.is_judged


def busy(*, seconds: float = 900, source: str = "esxtop") -> Recording:
    recording = Recording(seconds=seconds, interval=20.0, source=source)  # type: ignore[arg-type]
    recording.on_host({"cpu.pcpu_util": 95.0, "cpu.pcpu_used": 93.0})
    recording.vm("slow", {"cpu.ready": during(100, 700, 20.0, 0.5), "cpu.max_limited": 0.0})
    recording.vm("quiet", {"cpu.ready": 0.5, "cpu.max_limited": 0.0, "mem.balloon": 0.0})
    gone = recording.vm("gone", {"cpu.ready": lambda t: np.where(t < 400, 9.0, np.nan)})
    recording.gap(400, 880, gone)
    return recording


def test_a_vm_that_moves_and_facts_that_come_late(tmp_path: Path) -> None:
    recording = busy(source="vcenter")
    other = recording.another_host("esx02", {"cpu.pcpu_util": 10.0, "cpu.pcpu_used": 9.0})
    vm = recording.vm("moves", {"cpu.ready": 15.0, "cpu.max_limited": 0.0})
    recording.stays(vm, (0.0, recording.host), (410.0, other))
    recording.event(vm, "vmotion", "moved to esx02", 400.0, 10.0)
    recording.fact(vm, "cpu.limit_mhz", 2000.0, 500.0)
    assert len(judged_at_every_instant(session(recording), tmp_path / "s.hscope")[-1].findings) > 1


def test_facts_that_are_told_before_the_samples_of_their_time(tmp_path: Path) -> None:
    """A vCenter tells of a change at once; samples of that time are asked for half a minute later."""
    recording = busy(source="vcenter")
    other = recording.another_host("esx02", {"cpu.pcpu_util": 10.0, "cpu.pcpu_used": 9.0})
    vm = recording.vm("old name", {"cpu.ready": 15.0, "cpu.max_limited": during(500, 900, 12.0, 0.0)})
    recording.stays(vm, (0.0, recording.host), (410.0, other))
    recording.fact(vm, "name", "new name", 530.0)
    recording.fact(vm, "cpu.limit_mhz", 500.0, 490.0)
    found = judged_at_every_instant(session(recording), tmp_path / "s.hscope", ahead=50)
    names = [{each.entity_name for each in one.findings} for one in found]
    assert any("old name" in some for some in names)
    assert "new name" in names[-1]


def test_all_that_is_judged_ends_and_other_series_go_on(tmp_path: Path) -> None:
    path = tmp_path / "s.hscope"
    with SessionWriter.create(path, durable=False) as writer:
        host, vm = EntityRef("host", "esx01"), EntityRef("vm", "esx01/vm/1")
        writer.add_entities([Entity(host, "esx01"), Entity(vm, "web", host)])
        source = writer.add_source(SourceSpec("esxtop", "esx01", 20.0))
        judged, other = (
            writer.ticks.add_layout(source, writer.add_series(source, [SeriesSpec(ref, counter, "%")]))
            for ref, counter in ((vm, "cpu.ready"), (host, "raw/Nobody/Judges"))
        )
        writer.ticks.append_ticks([(judged, START + 20_000 * at, np.array([9.0])) for at in range(20)])
        with SessionReader.open(path) as reader:
            judge = LiveJudge(reader, problems(), catalogue())
            judge.judge()
            for at in range(20, 30):
                writer.ticks.append_ticks([(other, START + 20_000 * at, np.array([1.0]))])
                assert judge.judge() == diagnose_session(reader, problems(), catalogue())


def test_an_event_alone_that_comes_late(tmp_path: Path) -> None:
    """Nothing is measured of the uplink that differs: what is told of it alone makes the finding."""
    recording = busy(source="vcenter")
    nic = recording.add(
        "nic", "esx01/vmnic3", {"net.mbits_tx": 50.0, "net.mbits_rx": 50.0, "net.errors_rx": 0.0}
    )
    for at in (300.0, 360.0, 420.0, 480.0):
        recording.event(nic, "network", "Physical NIC vmnic3 linkstate is flapping", at, 30.0)
    found = judged_at_every_instant(session(recording), tmp_path / "s.hscope")
    told = [any(each.entity == nic for each in one.findings) for one in found]
    assert not told[0]
    assert told[-1]


@pytest.mark.parametrize("late", [1, 3])
def test_samples_that_come_late(late: int, tmp_path: Path) -> None:
    assert judged_at_every_instant(session(busy()), tmp_path / "s.hscope", late=late)[-1].findings


def test_two_hosts_of_which_one_dies(tmp_path: Path) -> None:
    dead = Recording("esx02", seconds=300, interval=20.0)
    dead.vm("there", {"cpu.ready": 30.0, "cpu.max_limited": 0.0})
    dead.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0})
    last = judged_at_every_instant(session(busy(), dead), tmp_path / "s.hscope")[-1]
    assert [bool(one.reason) for one in last.verdict.sources] == [False, True]


def test_numbers_that_cannot_be_true_come_and_are_left_out(tmp_path: Path) -> None:
    recording = busy()
    wild = np.full(45, 20.0)
    wild[[3, 20, 21, 40]] = 1e15, -70.0, 1e15, 4e9
    recording.vm("wild", {"cpu.ready": sampled(wild), "cpu.max_limited": 0.0})
    found = judged_at_every_instant(session(recording), tmp_path / "s.hscope", every=4)
    assert "4 values of 1 counter can't be true" in found[-1].verdict.sources[0].reason
    assert "wild" in str([one.conclusion for one in found[-1].findings])


def test_what_never_counted_begins_to(tmp_path: Path) -> None:
    recording = Recording(seconds=600, interval=20.0)
    recording.on_host({"cpu.pcpu_util": lambda t: np.where(t < 300, 0.0, 60.0), "mem.machine": 90_000.0})
    recording.vm("late", {"cpu.ready": lambda t: np.where(t < 300, 0.0, 30.0), "cpu.max_limited": 0.0})
    found = judged_at_every_instant(session(recording), tmp_path / "s.hscope", every=3)
    assert any("no processor was ever busy" in one.verdict.sources[0].reason for one in found)
    assert "ever busy" not in found[-1].verdict.sources[0].reason
    assert [one.entity_name for one in found[-1].findings if one.problem == "cpu.ready_high"] == ["late"]


def sampled(values: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """A level that has these values at its first instants."""
    return lambda t: values[: t.size]


@pytest.mark.parametrize("seed", range(4))
def test_chance_at_every_instant(seed: int, tmp_path: Path) -> None:
    """Problems that come, stay and go, samples that are missing or late, a move, events and facts."""
    rng = np.random.default_rng(seed)
    recording = Recording(seconds=1200, interval=20.0, source="vcenter" if seed % 2 else "esxtop")
    recording.on_host({"cpu.pcpu_util": sampled(rng.uniform(40, 99, 100))})
    other = recording.another_host("esx02", {"cpu.pcpu_util": 10.0})
    for number in range(4):
        first, last = np.sort(rng.integers(0, 60, 2))
        ready = np.full(100, 0.5)
        ready[first:last] = 20.0
        ready[rng.random(100) < 0.1 * number] = np.nan
        balloon = rng.uniform(0, 900, 100)
        vm = recording.vm(
            f"vm{number}",
            {"cpu.ready": sampled(ready), "cpu.max_limited": 0.0, "mem.balloon": sampled(balloon)},
        )
        recording.event(vm, "vmotion", "moved", float(rng.uniform(100, 1100)), 10.0)
    recording.stays(vm, (0.0, recording.host), (float(rng.uniform(200, 1000)), other))
    recording.fact(vm, "cpu.limit_mhz", 2000.0, float(rng.uniform(100, 1100)))
    recording.gap(float(rng.uniform(100, 500)), float(rng.uniform(500, 900)), vm)
    found = judged_at_every_instant(session(recording), tmp_path / "s.hscope", every=5, late=2 * (seed // 2))
    assert any(one.findings for one in found)


_SET: dict[str, tuple[float | str, ...]] = {
    "cpu.limit_mhz": (500.0, 2000.0, -1.0, 1e308), "mem.limit_mb": (1.0, 500.0), "cpu.shares": (1000.0,),
    "vdisk.scsi0:0.limit_iops": (500.0, 2000.0), "pool": ("gold", "silver", "none"), "vcpus": (4.0, 1.0, 0.0),
    "host": ("esx01", "esx02", "nowhere"), "snapshots": (1.0, 4.0), "ft.latency_status": ("red", "green"),
    "tools": ("guestToolsRunning", "guestToolsNotRunning"),
}  # fmt: skip


@pytest.mark.parametrize("seed", one_in(3, range(6)))
def test_what_is_set_changes_again_and_again(seed: int, tmp_path: Path) -> None:
    """Limits, pools, places, vCPUs: set, changed, taken back, some at an instant, some for no time."""
    rng = np.random.default_rng(seed)
    recording = Recording(seconds=900, interval=20.0, source="vcenter")
    size = len(recording)
    recording.on_host({"cpu.pcpu_util": sampled(rng.uniform(40, 99, size))})
    recording.another_host("esx02", {"cpu.pcpu_util": 10.0})

    def some_time() -> float:
        return float(rng.choice([rng.uniform(-100, 1000), 20.0 * rng.integers(0, size)]))

    for number in range(3):
        limited = np.where(np.arange(size) > rng.integers(0, size), rng.uniform(10, 50), 0.0)
        levels: dict[str, Level] = {
            "cpu.ready": sampled(limited + 8),
            "cpu.max_limited": sampled(limited),
            "mem.balloon": 90.0,
        }
        vm = recording.vm(f"vm{number}", levels)
        slow: dict[str, Level] = {
            "vdisk.latency_read": sampled(rng.uniform(0, 60, size)),
            "vdisk.reads": 500.0,
        }
        recording.add("vdisk", "scsi0:0", slow, parent=vm)
        for name, values in _SET.items():
            for _ in range(rng.integers(0, 4)):
                value, start, end = values[rng.integers(0, len(values))], some_time(), some_time()
                recording.fact(vm, name, value, start, end if start <= end and rng.random() < 0.4 else None)
    for pool in ("gold", "silver"):
        ref = recording.shared(pool, {}, "pool")
        for _ in range(rng.integers(0, 3)):
            recording.fact(ref, "cpu.limit_mhz", float(rng.choice([1000.0, 4000.0])), some_time())
    found = judged_at_every_instant(session(recording), tmp_path / "s.hscope", every=7, late=seed % 3)
    assert any(one.findings for one in found)


def uses_a_lun(host: str, rng: np.random.Generator, *, after_s: float) -> Recording:
    """A host whose clock goes otherwise, and what it and its VMs do on a LUN that it shares."""
    recording = Recording(host, seconds=1300, interval=20.0)
    size = recording.seconds.size
    recording.seconds = recording.seconds + after_s + rng.uniform(-4, 4, size)
    if after_s:
        recording.seconds[size // 2 :] += 47.0  # it was silent for a while
    slow = rng.integers(0, size, 2)
    commands = rng.uniform(50, 900, size)
    latency = rng.uniform(1, 8, size)
    latency[min(slow) : max(slow)] = 60.0
    latency[rng.random(size) < 0.05] = np.nan
    recording.on_host(
        {"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0, "mem.free": sampled(rng.uniform(1e3, 9e3, size))}
    )
    used = {
        "disk.device_latency": latency, "disk.kernel_latency": latency / 50, "disk.commands": commands,
        "disk.reads": commands / 2, "disk.writes": commands / 2, "disk.read_mb": commands / 60,
        "disk.write_mb": commands / 90, "disk.active": commands / 100, "disk.queued": commands / 200,
    }  # fmt: skip
    recording.shared(LUN, {name: sampled(values) for name, values in used.items()})
    for number in range(2):
        vm = recording.vm(
            f"{host}-vm{number}", {"cpu.ready": 0.5, "mem.swap_read": sampled(rng.uniform(0, 2, size))}
        )
        own = commands * rng.uniform(0, 1, size)
        own[rng.random(size) < 0.1] = np.nan
        recording.has(vm, {"disk.commands": sampled(own)}, instance=LUN)
    return recording


@pytest.mark.parametrize("seed", range(4))
def test_hosts_with_a_lun_whose_clocks_and_samples_lag(seed: int, tmp_path: Path) -> None:
    """What others do on the LUN is taken from the nearest instant, which may be another one a tick later."""
    rng = np.random.default_rng(seed)
    hosts = [uses_a_lun("esx01", rng, after_s=0.0), uses_a_lun("esx02", rng, after_s=7.0 * seed)]
    found = judged_at_every_instant(session(*hosts), tmp_path / "s.hscope", every=3, behind=seed)
    assert any(each.problem == "storage.device_latency" for one in found for each in one.findings)


def test_compaction_in_between_changes_nothing(tmp_path: Path) -> None:
    """Every 256 ticks the writer puts rows into blocks, some of them before anybody looked."""
    recording = Recording(seconds=3300, interval=5.0)
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0})
    recording.vm("slow", {"cpu.ready": during(1000, 1500, 20.0, 0.5), "cpu.max_limited": 0.0})
    found = judged_at_every_instant(session(recording), tmp_path / "s.hscope", every=7)
    assert [one.problem for one in found[-1].findings] == ["cpu.ready_high"]


def test_a_source_and_series_that_join_later(tmp_path: Path) -> None:
    path = tmp_path / "s.hscope"
    for _ in replay(session(busy()), path):
        pass
    with SessionWriter.open(path) as writer, SessionReader.open(path) as reader:
        judge = LiveJudge(reader, problems(), catalogue())
        judge.judge()
        host = next(ref for ref in reader.entities() if ref.kind == "host")
        (ids,) = [writer.add_series(1, [SeriesSpec(host, "mem.state", "count")])]
        layout = writer.ticks.add_layout(1, ids)
        times = reader.times(1).tolist()
        writer.ticks.append_ticks([(layout, at, np.array([3.0])) for at in times])
        assert judge.judge() == diagnose_session(reader, problems(), catalogue())


def test_a_judging_that_was_stopped_is_done_anew(tmp_path: Path) -> None:
    path, stop = tmp_path / "s.hscope", threading.Event()
    played = replay(session(busy()), path)
    for _ in range(20):
        next(played)
    with SessionReader.open(path) as reader:
        judge = LiveJudge(reader, problems(), catalogue())
        judge.judge()
        next(played)
        stop.set()
        with pytest.raises(CancelledError):
            judge.judge(stop)
        next(played)
        assert judge.judge() == diagnose_session(reader, problems(), catalogue())
    played.close()


def test_what_the_process_says_comes_back_whole() -> None:
    sender, receiver = Sender(), Receiver(dict(diagnosed(busy()).counters))
    for seconds in (400, 600, 900):
        found = diagnosed(busy(seconds=seconds))
        line = encode(sender.event(found))
        assert line.count(b"\n") == 1
        event = read_event(line)
        assert receiver.diagnosis(event) == found  # type: ignore[arg-type]
    for line in (b"", b"[]", b'{"event": "judged", "window": 3}', b'{"event": "gossip"}', b"\xff"):
        with pytest.raises(UsageError):
            read_event(line)
