"""What moved with it: culprit, victims and bystanders of small sites, as an admin would tell the story."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path
from threading import Event as Flag
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnosis.correlation import Correlation, Question, correlate
from diagnosis.correlation.documents import correlation_json
from diagnosis.correlation.wording import because
from resources.catalogue import load_catalogue
from resources.correlation_roles import load_correlation
from resources.failures import CancelledError, KnowledgeError, NotFoundError
from sessions.clock import UTC_CLOCK
from sessions.findings import Evidence, Finding
from sessions.model import Entity, EntityRef, FloatArray, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, encode_block
from sessions.times import TimeRange
from tests.diagnosis.recordings import START, Level, Recording, during, session
from tests.sessions.memory_session import MemorySession
from viewmodels.correlation_question import question_of_finding, reference_named
from viewmodels.correlation_rows import CorrelationView, correlation_view

SLOW = TimeRange(START + 2400_000, START + 2700_000)


def noisy(level: Level, spread: float = 0.1, seed: int = 1) -> Level:
    """A level with noise of a part of itself."""

    def values(t: FloatArray) -> FloatArray:
        base = level(t) if callable(level) else np.full(t.size, float(np.max(level)))
        rng = np.random.default_rng(seed)
        return np.asarray(base * (1 + spread * rng.standard_normal(t.size)), dtype=np.float64)

    return values


def lun_site(
    *, culprit: Level | None = None, latency: Level | None = None, bystander: Level = 200.0
) -> Recording:
    """Three VMs: web and batch on LUN a, other on LUN b; batch makes it slow from 2400 to 2700 s."""
    site = Recording(seconds=3600)
    load = culprit or during(2390, 2700, 4000.0, 100.0)
    slow = latency or during(2400, 2705, 25.0, 2.0)
    site.shared("naa.a", {"disk.commands": noisy(load, seed=2), "disk.device_latency": noisy(slow, seed=3)})
    site.shared("naa.b", {"disk.commands": noisy(300.0, seed=4), "disk.device_latency": noisy(2.0, seed=5)})
    web, batch, other = (
        site.vm(name, {"cpu.used": noisy(20.0, seed=6)}) for name in ("web", "batch", "other")
    )
    site.has(web, {"disk.commands": noisy(50.0, seed=7), "disk.guest_latency": noisy(slow, seed=8)}, "naa.a")
    site.has(
        batch, {"disk.commands": noisy(load, seed=9), "disk.guest_latency": noisy(slow, seed=10)}, "naa.a"
    )
    site.has(
        other,
        {"disk.commands": noisy(bystander, seed=11), "disk.guest_latency": noisy(2.0, seed=12)},
        "naa.b",
    )
    return site


def of_web(made: MemorySession, window: TimeRange | None = SLOW) -> Correlation:
    return correlate(made, Question(reference_named(made, "vm:web", "disk.guest_latency"), window))


def rows_of(document: dict[str, object]) -> list[dict[str, Any]]:
    ranked = document["ranked"]
    assert isinstance(ranked, list)
    return ranked


def parts(found: Correlation) -> dict[str, str]:
    return {found.name(group.entity): group.part for group in found.groups}


def shown(found: Correlation) -> CorrelationView:
    return correlation_view(found, UTC_CLOCK)


def test_who_loads_the_lun_comes_first_and_who_waits_for_it_is_a_victim() -> None:
    found = of_web(session(lun_site()))
    assert parts(found) == {"batch": "culprit", "naa.a": "shared"}
    first = shown(found).rows[0]
    assert first.name == "batch (vm on esx01)"
    assert first.part == "makes the load"
    assert re.fullmatch(
        r"rose 10 s before \(±5 s\), 3\d× its normal \(1\d\d /s → 4,0\d\d /s\), same LUN", first.because
    )


def test_another_victim_of_the_lun_is_told_apart() -> None:
    site = lun_site()
    third = site.vm("mail", {})
    slow = during(2400, 2705, 24.0, 2.0)
    site.has(
        third, {"disk.commands": noisy(30.0, seed=20), "disk.guest_latency": noisy(slow, seed=21)}, "naa.a"
    )
    assert parts(of_web(session(site)))["mail"] == "victim"


def test_a_vm_that_gets_busy_on_another_lun_at_the_same_time_is_not_blamed() -> None:
    found = of_web(session(lun_site(bystander=during(2395, 2700, 9000.0, 100.0))))
    assert found.name(found.groups[0].entity) == "batch"
    assert parts(found)["other"] == "neighbour"
    assert "same host" in because(next(one for one in found.groups if found.name(one.entity) == "other").lead)


def test_who_adds_little_on_the_same_lun_is_a_neighbour() -> None:
    site = lun_site()
    small = site.vm("small", {})
    site.has(small, {"disk.commands": noisy(during(2400, 2700, 60.0, 10.0), seed=30)}, "naa.a")
    assert parts(of_web(session(site)))["small"] == "neighbour"


def test_its_own_load_is_told_as_such() -> None:
    site = Recording(seconds=3600)
    load, slow = during(2395, 2700, 5000.0, 100.0), during(2400, 2700, 25.0, 2.0)
    web = site.vm("web", {})
    site.has(web, {"disk.commands": noisy(load), "disk.guest_latency": noisy(slow, seed=2)}, "naa.a")
    found = of_web(session(site))
    assert [group.part for group in found.groups] == ["own load"]
    document = correlation_json(found, 10)
    assert rows_of(document)[0]["role"] == "culprit"


def test_worlds_that_run_when_nobody_does_are_not_blamed() -> None:
    """A VM that is held back leaves processors idle: the group "system" has their idle worlds in it."""
    site = Recording(seconds=3600)
    run, waits = during(2400, 2705, 60.0, 180.0), during(2400, 2705, 30.0, 0.1)
    site.vm("web", {"cpu.run": noisy(run), "cpu.max_limited": noisy(waits, seed=2)})
    idle = during(2395, 2705, 1900.0, 1780.0)
    site.add("world", "system", {"cpu.run": noisy(idle, seed=3), "cpu.used": noisy(0.3, seed=4)})
    site.add("world", "idle14", {"cpu.used": noisy(during(2395, 2705, 90.0, 10.0), seed=5)})
    site.add("world", "vpxa", {"cpu.run": noisy(during(2395, 2705, 90.0, 10.0), seed=6)})
    made = session(site)
    found = correlate(made, Question(reference_named(made, "vm:web", "cpu.max_limited"), SLOW))
    assert "vpxa" in parts(found)
    assert not {"system", "idle14"} & parts(found).keys()
    asked = Question(reference_named(made, "world:system", "cpu.run"), SLOW)
    assert "web" in parts(correlate(made, asked)), "who asks for it gets an answer"


def test_noise_alone_gives_no_row_and_says_what_to_do() -> None:
    site = lun_site(culprit=100.0, latency=2.0)
    view = shown(of_web(session(site)))
    assert not view.rows
    assert view.empty == "Nothing moved with it beyond chance. Choose the time in which it was slow."


def test_a_daily_cycle_that_all_share_blames_nobody_elsewhere() -> None:
    wave = lambda t: 100 + 50 * np.sin(t / 3600 * 6.28)  # noqa: E731 - a formula
    site = lun_site()
    for number in range(20):
        vm = site.vm(f"vm{number}", {"cpu.used": noisy(wave, 0.05, seed=100 + number)})
        site.has(vm, {"disk.commands": noisy(wave, 0.1, seed=200 + number)}, "naa.b")
    found = of_web(session(site))
    assert found.name(found.groups[0].entity) == "batch"
    assert all(group.part != "culprit" for group in found.groups[1:])


def test_without_a_window_the_strangest_time_is_chosen_and_said() -> None:
    found = of_web(session(lun_site()), None)
    assert found.span.found
    assert found.span.window.start == pytest.approx(SLOW.start, abs=15_000)
    assert found.span.window.end == pytest.approx(SLOW.end, abs=20_000)
    assert "the time in which it was most unusual" in shown(found).about


def test_what_was_bad_for_most_of_the_time_is_not_taken_for_normal() -> None:
    long = during(590, 3600, 4000.0, 100.0), during(600, 3600, 25.0, 2.0)
    found = of_web(session(lun_site(culprit=long[0], latency=long[1])), None)
    assert found.span.window.start == pytest.approx(START + 600_000, abs=15_000)
    assert re.search(r"rose from \d\.\d+ ms to 2\d\.\d ms on average", shown(found).about)
    assert found.name(found.groups[0].entity) == "batch"


def test_a_window_at_the_beginning_is_compared_with_the_time_after() -> None:
    early = during(10, 300, 4000.0, 100.0), during(10, 305, 25.0, 2.0)
    made = session(lun_site(culprit=early[0], latency=early[1]))
    found = of_web(made, TimeRange(START, START + 300_000))
    assert found.span.baseline.start > found.span.window.end
    assert found.name(found.groups[0].entity) == "batch"
    assert " after." in shown(found).about


def test_bursts_that_come_back_are_told_as_a_pattern() -> None:
    def burst(t: FloatArray) -> FloatArray:
        return np.asarray((t % 300 < 20).astype(np.float64))

    made = session(lun_site(culprit=lambda t: 100 + 4000 * burst(t), latency=lambda t: 2 + 23 * burst(t)))
    found = of_web(made)
    assert found.name(found.groups[0].entity) == "batch"
    assert any("every 5 min for 20 s, since" in text for text in shown(found).patterns)


def test_constant_and_sparse_series_are_left_out_and_counted() -> None:
    site = lun_site()
    rare = np.full(720, np.nan)
    rare[[3, 400]] = 9.0
    site.vm("still", {"cpu.used": 5.0, "cpu.ready": rare.tolist()})
    found = of_web(session(site))
    assert (found.compared.constant, found.compared.sparse) == (1, 1)
    assert "1 that stood still and 1 with too few samples" in shown(found).compared


def test_a_source_with_a_longer_interval_is_compared_at_that_interval() -> None:
    fine = lun_site()
    coarse = Recording("esx02", seconds=3600, interval=20, source="vcenter")
    far = coarse.vm("far", {})
    coarse.has(far, {"disk.commands": noisy(during(2380, 2700, 9000.0, 50.0), seed=40)}, "naa.a")
    found = of_web(session(fine, coarse))
    group = next(one for one in found.groups if found.name(one.entity) == "far")
    assert group.lead.move.step_s == 20
    assert "(±20 s)" in because(group.lead)
    assert group.part == "culprit"
    assert found.compared.step_s == 20


def test_gaps_are_neither_filled_nor_fatal() -> None:
    made = MemorySession()
    site = lun_site()
    site._columns = [np.where(np.arange(720) % 7 == 0, np.nan, one) for one in site._columns]
    found = of_web(site.into(made))
    assert found.name(found.groups[0].entity) == "batch"


def test_clocks_that_differ_are_lined_up() -> None:
    """The second host's clock is 40 s ahead: its load began 10 s before, not 30 s after."""
    made = MemorySession()
    lun_site(culprit=100.0).into(made)
    ref = EntityRef("vm", "esx02/vm/far")
    times = START + 5000 * np.arange(720, dtype=np.int64) + 40_000
    rng = np.random.default_rng(1)
    load = np.where((np.arange(720) >= 478) & (np.arange(720) < 540), 4000.0, 100.0) * rng.normal(1, 0.1, 720)
    made.add_source(
        SourceSpec("esxtop", "esx02", 5.0, clock_offset_ms=40_000),
        times,
        [SeriesSpec(ref, "disk.commands", "/s", "naa.a")],
        load[:, None],
        entities=[
            Entity(EntityRef("host", "esx02"), "esx02"),
            Entity(ref, "far", EntityRef("host", "esx02")),
        ],
    )
    found = of_web(made)
    first = found.groups[0]
    assert (found.name(first.entity), first.part) == ("far", "culprit")
    assert first.lead.move.lag_s == pytest.approx(-10, abs=5)


def test_what_happened_before_is_told_with_its_lead() -> None:
    site = lun_site()
    batch = EntityRef("vm", "esx01/vm/batch")
    site.event(batch, "snapshot", "Snapshot of batch was taken", 2340)
    site.fact(batch, "cpu.limit_mhz", 2000.0)
    site.fact(batch, "cpu.limit_mhz", 1000.0, 2220)
    events = shown(of_web(session(site))).events
    assert events == (
        "3 min before: CPU limit: 2 GHz → 1 GHz",
        "1 min before: Snapshot of batch was taken",
    )


def test_a_setting_that_was_first_set_or_removed_is_told_and_a_reading_is_none() -> None:
    site = lun_site()
    batch = EntityRef("vm", "esx01/vm/batch")
    site.fact(batch, "vcpus", 4.0)
    site.fact(batch, "vdisk.scsi0:0.policy", "Gold", 60)  # read a minute after the rest
    site.fact(batch, "cpu.limit_mhz", 2000.0, 2220)
    site.fact(batch, "mem.limit_mb", 4096.0, until_s=2280)
    site.fact(batch, "drs.score", 3.0)
    site.fact(batch, "drs.score", 5.0, 2340)
    assert shown(of_web(session(site))).events == (
        "3 min before: CPU limit: unlimited → 2 GHz",
        "2 min before: memory limit: 4 GB → unlimited",
    )


def test_a_window_alone_ranks_by_change() -> None:
    found = correlate(session(lun_site()), Question(None, SLOW))
    assert found.name(found.groups[0].entity) in ("batch", "naa.a")
    assert shown(found).title == "What changed"
    assert correlation_json(found, 5)["of"] is None


def test_a_finding_names_its_series_and_window() -> None:
    made = session(lun_site())
    device = EntityRef("device", "naa.a")
    evidence = Evidence("disk.device_latency", "", "mean", 25.0, 10.0, "ms")
    finding = Finding(
        "storage.device_latency", "t", "warning", device, "naa.a", (SLOW,), 0.5, "", (evidence,), (), ()
    )
    question = question_of_finding(made, finding)
    assert question.reference is not None
    assert (question.reference.entity, question.window) == (device, SLOW)
    found = correlate(made, question)
    assert found.name(found.groups[0].entity) == "batch"


def test_json_has_the_agreed_shape() -> None:
    document = correlation_json(of_web(session(lun_site())), 1)
    json.dumps(document, allow_nan=False)
    assert {"of", "window", "baseline", "ranked"} <= document.keys()
    (row,) = rows_of(document)
    assert row["entity"] == {"kind": "vm", "name": "batch"}
    assert row["role"] == "culprit"
    assert 0.8 < row["score"] <= 1
    assert row["lag_s"] == -10
    assert row["correlation"] > 0.9
    assert row["change"] == pytest.approx(3900, rel=0.05)
    assert document["left_out"] == 1


def test_hostile_names_are_shown_on_one_line() -> None:
    site = lun_site()
    evil = site.vm("evil\x1b[2J\nname\u202e", {})
    site.has(evil, {"disk.commands": noisy(during(2390, 2700, 9000.0, 100.0), seed=50)}, "naa.a")
    first = shown(of_web(session(site))).rows[0]
    assert first.name.startswith("evil")
    assert first.name.isprintable()


def test_names_that_are_not_there_are_answered_in_a_sentence() -> None:
    made = session(lun_site())
    with pytest.raises(NotFoundError, match=r"No entity is called 'we'. There are: web"):
        reference_named(made, "we", "cpu.used")
    with pytest.raises(
        NotFoundError, match=r"There is no counter 'latency' of 'vm:web'. There are: disk.guest_"
    ):
        reference_named(made, "vm:web", "latency")
    with pytest.raises(NotFoundError, match=r"has no instance 'x'. There are: 'naa.a'"):
        reference_named(made, "vm:web", "disk.guest_latency", "x")
    with pytest.raises(NotFoundError, match="no samples"):
        correlate(MemorySession(), Question(None, SLOW))


def test_it_can_be_stopped() -> None:
    flag = Flag()
    flag.set()
    with pytest.raises(CancelledError):
        correlate(session(lun_site()), Question(None, SLOW), cancel=flag)


def test_roles_name_only_counters_that_there_are() -> None:
    keys = {counter.key for counter in load_catalogue().counters()}
    known = load_correlation()
    for group in known.groups:
        for pattern in group.counters:
            assert any(fnmatchcase(key, pattern) for key in keys), pattern
    assert known.role("disk.commands") == ("load", "storage")
    assert known.role("vdisk.latency_read") == ("effect", "storage")
    assert known.role("raw/x/y") == ("other", None)
    assert known.loads_behind("network")["network"] == 1.0


def test_a_bad_number_names_the_file_that_it_is_in(tmp_path: Path) -> None:
    (tmp_path / "correlation").mkdir()
    (tmp_path / "correlation" / "numbers.toml").write_text("max_samples = 9")
    (tmp_path / "correlation" / "roles.toml").write_text("")
    with pytest.raises(KnowledgeError, match=r"numbers\.toml"):
        load_correlation([tmp_path])


def test_vms_of_a_vcenter_meet_on_the_datastore_of_their_disks() -> None:
    """No device in sight: which disk is on which datastore is a fact."""
    site = Recording("vc01", seconds=3600, interval=20, source="vcenter")
    load, slow = during(2390, 2700, 4000.0, 100.0), during(2400, 2705, 25.0, 2.0)
    for name in ("gold", "tin"):
        site.shared(name, {}, "datastore")
    site.has(EntityRef("datastore", "gold"), {"datastore.latency": noisy(slow, seed=2)}, "vc01")
    for name, level, store in (("web", 50.0, "gold"), ("batch", load, "gold"), ("other", load, "tin")):
        vm = site.vm(name, {"vdisk.commands": noisy(level, seed=len(name))})
        site.fact(vm, "vdisk.scsi0:0.datastore", store)
        site.has(vm, {"vdisk.latency_read": noisy(slow if store == "gold" else 2.0, seed=9)})
    found = correlate(
        session(site), Question(reference_named(session(site), "datastore:gold", "datastore.latency"), SLOW)
    )
    assert parts(found)["batch"] == "culprit"
    assert found.name(found.groups[0].entity) == "batch"
    assert because(found.groups[0].lead).endswith("same datastore")
    assert parts(found).get("other") != "culprit"


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-300, 1e-6, 1.0, 1e9, 1e200]), st.floats(0, 0.9))
@settings(max_examples=40, deadline=None)
def test_whatever_a_session_holds_scores_are_between_0_and_1(seed: int, scale: float, absent: float) -> None:
    rng = np.random.default_rng(seed)
    made = MemorySession()
    for number in range(int(rng.integers(1, 4))):
        step = int(rng.choice([1000, 5000, 20_000, 300_000]))
        count = int(rng.integers(0, 400))
        times = START + np.cumsum(rng.integers(step // 2, 2 * step, count)) + int(rng.integers(0, 9999))
        host = EntityRef("host", f"h{number}")
        vms = [EntityRef("vm", f"h{number}/vm/{k}") for k in range(3)]
        specs = [SeriesSpec(ref, key, "ms") for ref in vms for key in ("cpu.ready", "cpu.used", "raw/x")]
        values = rng.standard_normal((count, 9)) * scale
        values[:, 3] = scale
        values[rng.random(values.shape) < absent] = np.nan
        entities = [Entity(host, host.key), *(Entity(ref, ref.key, host) for ref in vms)]
        made.add_source(SourceSpec("esxtop", host.key, step / 1000), times, specs, values, entities=entities)
    span = made.span()
    if span is None:
        return
    edges = sorted(rng.integers(span.start, span.end + 1, 2).tolist())
    for window in (None, TimeRange(*edges), span):
        reference = made.series()[0]
        try:
            found = correlate(made, Question(reference, window))
        except NotFoundError:
            continue
        assert all(0 <= one.score <= 1 for one in found.groups)
        json.dumps(correlation_json(found, 5), allow_nan=False)
        assert shown(found).title


def test_a_whole_day_is_compared_by_blocks_and_says_so(tmp_path: Path) -> None:
    """16 h every 5 s: nobody reads 11,520 samples of each series; blocks of 128 tell who, samples of the
    first few who came first.
    """
    site = Recording(seconds=16 * 3600)
    load, slow = during(29_990, 36_000, 4000.0, 100.0), during(30_000, 36_000, 25.0, 2.0)
    for name, level in (("web", 50.0), ("batch", load)):
        vm = site.vm(name, {"cpu.used": noisy(20.0, seed=len(name))})
        counters = {"disk.commands": noisy(level, seed=7), "disk.guest_latency": noisy(slow, seed=8)}
        site.has(vm, counters, "naa.a")
    made = session(site)
    everything = made.series()
    (frame,) = made.read(np.array([one.id for one in everything]))
    path = tmp_path / "day.hscope"
    with SessionWriter.create(path, durable=False) as writer:
        writer.add_entities(made.entities().values())
        source = writer.add_source(SourceSpec("esxtop", "esx01", 5.0))
        layout = writer.add_layout(source, writer.add_series(source, [one.spec for one in everything]))
        for begin in range(0, frame.times.size, 128):
            rows = slice(begin, begin + 128)
            writer.add_block(layout, encode_block(frame.times[rows], frame.values[rows]))
    with SessionReader.open(path) as reader:
        reference = reference_named(reader, "vm:web", "disk.guest_latency")
        found = correlate(reader, Question(reference, reader.span()))
    assert found.compared.step_s > 600
    first = found.groups[0]
    assert (found.name(first.entity), first.part) == ("batch", "culprit")
    assert first.lead.move.correlation > 0.95
    assert "without a baseline, by correlation alone" in shown(found).about
    words = shown(found).rows[0].because
    assert re.fullmatch(r"rose 10 s before \(±5 s\), correlation (0\.9\d|1\.00), same LUN", words)


@pytest.mark.parametrize("disk", ["mpx.vmhba0:C0:T0:L0", "t10.JMicron_Generic_________0123456789ABCDE"])
def test_local_disks_of_one_name_on_two_hosts_are_not_one_lun(disk: str) -> None:
    made = MemorySession()
    for number, host in enumerate(("esx01", "esx02")):
        site = Recording(host, seconds=3600)
        load, slow = during(2390, 2700, 4000.0, 100.0), during(2400, 2705, 25.0, 2.0)
        site.add("device", disk, {"disk.commands": noisy(load, seed=number)})
        for name, level in (("web", 50.0), ("batch", load)):
            vm = site.vm(f"{name}{number}", {})
            counters = {"disk.commands": noisy(level, seed=7), "disk.guest_latency": noisy(slow, seed=8)}
            site.has(vm, counters, disk)
        site.into(made)
    found = correlate(made, Question(reference_named(made, "vm:web0", "disk.guest_latency"), SLOW))
    assert parts(found)["batch0"] == "culprit"
    assert parts(found)["batch1"] == "elsewhere"


def test_a_series_that_was_never_unusual_is_compared_over_the_whole_session() -> None:
    """Noise has its excursions, too: a hundredth of a millisecond is no time to look at."""
    found = of_web(session(lun_site(culprit=100.0, latency=0.05)), None)
    assert not found.span.found
    assert found.span.window == TimeRange(START, START + 3595_000)
    assert "all of the session's time, without a baseline" in shown(found).about
    assert not found.groups


def test_of_a_very_long_problem_the_worst_part_is_chosen() -> None:
    def slow(t: FloatArray) -> FloatArray:
        return np.where(t > 20_000, 25.0, 2.0) + np.where((t > 30_000) & (t < 31_000), 60.0, 0.0)

    site = Recording(seconds=40_000)
    web = site.vm("web", {})
    site.has(web, {"disk.guest_latency": noisy(slow)}, "naa.a")
    window = of_web(session(site), None).span.window
    assert (window.end - window.start) / 5000 <= 490
    assert window.start <= START + 30_000_000 <= START + 31_000_000 <= window.end


def test_what_hardly_follows_the_reference_is_not_blamed() -> None:
    """A load that rose a little on the same LUN while the latency did what it always does."""
    site = lun_site(culprit=during(2400, 2700, 130.0, 100.0), latency=2.0)
    assert "culprit" not in parts(of_web(session(site))).values()


def test_with_a_constant_nothing_moves_and_nobody_is_blamed() -> None:
    site = lun_site()
    site.vm("calm", {"cpu.ready": 0.0})
    made = session(site)
    found = correlate(made, Question(reference_named(made, "vm:calm", "cpu.ready"), SLOW))
    assert set(parts(found).values()) == {"moved"}
    assert "It hardly changed itself" in shown(found).about
