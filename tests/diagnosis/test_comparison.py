"""Comparing two windows: verdicts against analytic truth, joined entities, the load, what else differs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Event as Flag

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnosis.comparison import Choice, Comparison, Row, Side, compare
from diagnosis.comparison.distributions import cliffs_delta, percentiles
from diagnosis.comparison.values import Change
from diagnosis.comparison.verdicts import ratio_interval
from diagnosis.comparison.windows import DAY_BEFORE, windows_of_one, windows_of_two
from resources.comparison_rules import load_comparison_rules
from resources.failures import CancelledError, HyperscopeError
from sessions.model import EntityRef, FloatArray
from sessions.times import TimeRange
from tests.diagnosis.recordings import START, Recording, catalogue, problems, session
from tests.sessions.memory_session import MemorySession

KNOWLEDGE = (catalogue(), problems(), load_comparison_rules(catalogue()))
HALF_S, INTERVAL_S = 1800, 5


def noise(level: float, spread: float, phi: float = 0.8, seed: int = 1) -> FloatArray:
    """Samples of an hour, every 5 s: AR(1) of that level and standard deviation."""
    n = 2 * HALF_S // INTERVAL_S
    random = np.random.default_rng(seed).normal(size=n + 100)
    values = random.copy()
    for at in range(1, n + 100):
        values[at] = phi * values[at - 1] + random[at] * np.sqrt(1 - phi * phi)
    return np.maximum(level + spread * values[100:], 0.0)


def then(before: FloatArray, factor: float) -> FloatArray:
    """The same, but the second half is multiplied."""
    after = before.copy()
    after[after.size // 2 :] *= factor
    return after


def hour(host: str = "esx01") -> Recording:
    return Recording(host, seconds=2 * HALF_S, interval=INTERVAL_S)


def window(first_s: float, last_s: float) -> TimeRange:
    return TimeRange(START + round(first_s * 1000), START + round(last_s * 1000))


A, B = window(0, HALF_S - 1), window(HALF_S, 2 * HALF_S - 1)


def halves(*recordings: Recording, choice: Choice | None = None) -> Comparison:
    made = session(*recordings)
    return compare(Side(made, A), Side(made, B), choice or Choice(), KNOWLEDGE)


def row(found: Comparison, counter: str, name: str = "") -> Row:
    (one,) = (one for one in found.rows() if one.counter == counter and (not name or one.name == name))
    return one


def test_a_limit_that_was_raised_shows_as_less_waiting() -> None:
    recording = hour()
    recording.vm(
        "db-prod", {"cpu.ready": then(noise(32, 3), 0.02), "cpu.used": then(noise(50, 2, seed=2), 1.85)}
    )
    found = halves(recording)
    ready = row(found, "cpu.ready")
    assert (ready.verdict, ready.judged, ready.name) == ("lower", "better", "db-prod")
    assert ready.difference == pytest.approx(-31.4, abs=1.5)
    assert ready.interval is not None
    assert ready.interval[0] < ready.difference < ready.interval[1]
    assert ready.effect == -1.0
    assert ready.rank == 1
    used = row(found, "cpu.used")
    assert (used.verdict, used.judged) == ("higher", "to know")
    assert used.ratio == pytest.approx(1.85, abs=0.05)
    assert used.ratio_interval is not None
    assert used.ratio_interval[0] < 1.85 < used.ratio_interval[1]


def test_the_same_is_said_only_where_another_difference_is_excluded() -> None:
    recording = hour()
    recording.vm("quiet", {"cpu.used": noise(50, 1)})
    recording.vm("noisy", {"cpu.used": noise(50, 25, phi=0.95, seed=5)})
    found = halves(recording)
    same, open_one = row(found, "cpu.used", "quiet"), row(found, "cpu.used", "noisy")
    assert same.verdict == "same"
    assert same.interval is not None
    assert max(map(abs, same.interval)) <= same.margin == pytest.approx(0.05 * same.a.mean)
    assert open_one.verdict == "undecided"
    assert "anything between" in open_one.why
    assert " points" in open_one.why
    assert " %" not in open_one.why


def test_what_swings_slowly_is_undecided_and_asks_for_longer_windows() -> None:
    swing = 50 + 20 * np.sin(np.arange(2 * HALF_S // INTERVAL_S) / 60)
    recording = hour()
    recording.vm("slow", {"cpu.used": swing})
    recording.vm("jumpy", {"cpu.used": noise(50, 25, phi=0.0)})
    found = halves(recording)
    slow, jumpy = row(found, "cpu.used", "slow"), row(found, "cpu.used", "jumpy")
    assert slow.verdict == "undecided"
    assert "360 samples tell as much as 2 independent ones: compare longer windows." in slow.why
    assert "slowly" not in jumpy.why


def test_too_few_samples_are_undecided_and_say_so() -> None:
    recording = hour()
    recording.vm("web", {"cpu.ready": then(noise(30, 0.1), 0.1)})
    made = session(recording)
    short = Side(made, window(HALF_S, HALF_S + 20))
    one = row(compare(Side(made, A), short, Choice(), KNOWLEDGE), "cpu.ready")
    assert (one.verdict, one.interval, one.b.n) == ("undecided", None, 5)
    assert "5 samples in B" in one.why


def test_a_setting_that_changed_is_different_however_little() -> None:
    recording = hour()
    recording.vm(
        "web", {"mem.size": lambda t: np.where(t < HALF_S, 4096.0, 8192.0), "cpu.alloc_shares": 1000.0}
    )
    found = halves(recording)
    assert row(found, "mem.size").verdict == "higher"
    assert row(found, "cpu.alloc_shares").verdict == "same"


def test_numbers_of_each_side_are_those_of_the_raw_samples() -> None:
    values = noise(20, 9)
    values[[3, 77, 400]] = np.nan
    recording = hour()
    recording.vm("web", {"cpu.ready": values})
    one = row(halves(recording), "cpu.ready")
    for side, samples in ((one.a, values[:360]), (one.b, values[360:])):
        known = samples[~np.isnan(samples)]
        assert side.n == known.size
        assert side.mean == pytest.approx(known.mean(), rel=1e-12)
        assert [side.p50, side.p95, side.p99] == np.percentile(known, [50, 95, 99]).tolist()


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
def test_without_a_change_few_are_called_different(phi: float) -> None:
    """A-A: at most 5 % before the correction, at most 1 % after it."""
    recording = hour()
    for at in range(300):
        recording.vm(f"vm{at:03}", {"cpu.used": noise(50, 15, phi, seed=at)})
    found = halves(recording)
    of = found.differences
    assert np.mean((of.chance <= 0.05) & (np.abs(of.difference) > of.margin)) <= 0.05
    assert (found.counts["higher"] + found.counts["lower"]) / 300 <= 0.01


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
def test_ten_percent_more_is_found_among_hundreds(phi: float) -> None:
    recording = hour()
    for at in range(200):
        samples = noise(60, 3, phi, seed=at)
        recording.vm(f"vm{at:03}", {"cpu.used": then(samples, 1.1) if at < 40 else samples})
    found = halves(recording)
    higher = {one.name for one in found.outline_of(range(len(found.pairs))) if one.verdict == "higher"}
    assert len(higher & {f"vm{at:03}" for at in range(40)}) >= 36
    assert len(higher) <= 43


def test_limits_crossed_come_first_and_parts_after_their_owner() -> None:
    recording = hour()
    vm = recording.vm("db", {"cpu.ready": then(noise(20, 2), 0.05), "cpu.switches": then(noise(500, 2), 3.0)})
    recording.add("vcpu", "vCPU 0", {"cpu.ready": then(noise(20, 2, seed=3), 0.05)}, parent=vm)
    found = list(halves(recording).rows())
    assert [(one.counter, one.entity.kind, one.owner) for one in found] == [
        ("cpu.ready", "vm", ""),
        ("cpu.ready", "vcpu", "db"),
        ("cpu.switches", "vm", ""),
    ]


def test_what_was_left_out_does_not_count() -> None:
    backup = noise(5, 0.3, phi=0.3)
    backup[120:240] += 40
    recording = hour()
    recording.vm("db", {"vdisk.latency_read": backup})
    made = session(recording)
    out = (window(600, 1199),)
    one = row(compare(Side(made, A, out), Side(made, B, out), Choice(), KNOWLEDGE), "vdisk.latency_read")
    assert (one.a.n, one.b.n) == (240, 360)
    assert one.a.p99 < 7
    assert one.verdict == "same"


# ---------------------------------------------------------------- which is which


def changes(found: Comparison, what: str) -> list[Change]:
    return [one for one in found.changes if one.what == what]


def two(a: Recording, b: Recording) -> Comparison:
    whole = window(0, 2 * HALF_S)
    return compare(Side(session(a), whole), Side(session(b), whole), Choice(), KNOWLEDGE)


def vcenter(vms: dict[str, str], host: str = "esx01", host_uuid: str = "") -> Recording:
    """Key and name of each VM, as a vCenter tells them."""
    recording = Recording(host, seconds=2 * HALF_S, interval=20, source="vcenter")
    recording.on_host({"cpu.pcpu_util": 40.0})
    if host_uuid:
        recording.fact(recording.host, "uuid", host_uuid)
    for key, name in vms.items():
        ref = recording.vm(key, {"cpu.ready": 1.0})
        recording.fact(ref, "uuid", key)
        recording.fact(ref, "name", name)
    return recording


def test_a_renamed_vm_is_the_same_by_its_identity() -> None:
    found = two(vcenter({"5032-aa": "web01"}), vcenter({"5032-aa": "web-old"}, host="esx09"))
    (one,) = changes(found, "renamed")
    assert (one.before, one.after) == ("web01", "web-old")
    ready = row(found, "cpu.ready")
    assert (ready.joined_by, ready.name, ready.name_in_b) == ("identity", "web01", "web-old")


def test_another_vm_of_the_same_name_is_another_vm() -> None:
    found = two(vcenter({"5032-aa": "web01"}), vcenter({"5032-bb": "web01"}))
    assert {one.counter for one in found.rows()} == {"cpu.pcpu_util"}
    assert [one.name for one in changes(found, "gone")] == ["web01"]
    assert [one.name for one in changes(found, "added")] == ["web01"]


def test_two_hosts_called_localhost_are_two() -> None:
    found = two(
        vcenter({"5032-aa": "web01"}, host="localhost", host_uuid="4c4c-1"),
        vcenter({"5032-aa": "web01"}, host="localhost", host_uuid="4c4c-2"),
    )
    assert {one.counter for one in found.rows()} == {"cpu.ready"}
    assert [one.entity.kind for one in changes(found, "gone")] == ["host"]


def test_a_name_alone_is_said_to_be_a_guess() -> None:
    a, b = hour("esx01"), hour("esx02")
    a.vm("db", {"cpu.ready": 1.0})
    b.vm("db", {"cpu.ready": 1.0})
    found = two(a, b)
    assert row(found, "cpu.ready").joined_by == "name"
    assert ("vm", "db") in [(one.entity.kind, one.name) for one in changes(found, "by name")]
    (moved,) = changes(found, "moved")
    assert (moved.before, moved.after) == ("esx01", "esx02")


def test_names_that_repeat_are_no_guess() -> None:
    a, b = hour("esx01"), hour("esx02")
    for number in range(2):
        a.vm(f"x{number}", {"cpu.ready": 1.0})
        ref = EntityRef("vm", f"esx01/vm/x{number}")
        a.fact(ref, "vcpus", 2.0)
    b.vm("db", {"cpu.ready": 1.0})
    found = two(a, b)
    assert not list(found.rows())
    assert len(changes(found, "gone")) == 1, "only the host is told, not what is on it"


def test_a_vm_that_moves_within_a_session_is_told() -> None:
    recording = Recording("vc", seconds=2 * HALF_S, interval=20, source="vcenter")
    first = recording.another_host("esx01", {"cpu.pcpu_util": 40.0})
    second = recording.another_host("esx02", {"cpu.pcpu_util": 40.0})
    vm = recording.vm("db", {"cpu.ready": 1.0})
    recording.stays(vm, (0, first), (HALF_S, second))
    recording.event(vm, "vmotion", "Migrating db to esx02", HALF_S - 60, 42)
    found = halves(recording)
    assert [(one.before, one.after) for one in changes(found, "moved")] == [("esx01", "esx02")]
    assert [one.kind for one in found.events] == ["vmotion"]


def test_a_setting_is_told_with_both_values() -> None:
    recording = hour()
    vm = recording.vm("db", {"cpu.ready": 1.0})
    recording.fact(vm, "cpu.limit_mhz", 2000.0)
    recording.fact(vm, "cpu.limit_mhz", 4000.0, HALF_S)
    (one,) = changes(halves(recording), "setting")
    assert (one.setting, one.before, one.after) == ("cpu.limit_mhz", "2 GHz", "4 GHz")


def test_what_an_inventory_tells_that_began_after_the_first_window_was_no_change() -> None:
    """As with the hour before a recording, which hosts still have: nobody told then what was set."""
    recording = hour()
    vm = recording.vm("db", {"cpu.ready": 1.0})
    for name, value in (("power_state", "poweredOn"), ("cpu.shares", 4000.0), ("cpu.limit_mhz", 2000.0)):
        recording.fact(vm, name, value, HALF_S + 60)
    assert changes(halves(recording), "setting") == []
    known = hour()
    vm = known.vm("db", {"cpu.ready": 1.0})
    known.fact(vm, "power_state", "poweredOn", HALF_S - 60)
    known.fact(vm, "cpu.shares", 4000.0, HALF_S - 60)
    known.fact(vm, "cpu.limit_mhz", 2000.0, HALF_S + 60)
    assert [one.setting for one in changes(halves(known), "setting")] == ["cpu.limit_mhz"]


def test_space_that_fills_is_no_changed_setting() -> None:
    recording = hour()
    vm = recording.vm("db", {"cpu.ready": 1.0})
    for name in ("datastore.free_mb", "vdisk.scsi0:0.shares"):
        recording.fact(vm, name, 1000.0)
        recording.fact(vm, name, 500.0, HALF_S)
    assert [one.setting for one in changes(halves(recording), "setting")] == ["vdisk.scsi0:0.shares"]


def test_counters_of_one_window_only_are_told() -> None:
    recording = hour()
    late = noise(1, 0.1)
    late[:360] = np.nan
    recording.vm("db", {"cpu.ready": 1.0, "cpu.costop": late})
    found = halves(recording)
    assert [(one.counter, one.side, one.entities) for one in found.counters] == [("cpu.costop", "b", 1)]


def test_only_what_is_chosen_is_compared_and_corrected_for() -> None:
    recording = hour()
    refs = [recording.vm(f"vm{at}", {"cpu.ready": noise(9, 1, seed=at), "cpu.used": 1.0}) for at in range(9)]
    found = halves(recording, choice=Choice(({refs[2]}, {refs[2]}), lambda key: key == "cpu.ready"))
    (one,) = found.rows()
    assert (one.name, one.counter) == ("vm2", "cpu.ready")
    assert one.corrected == one.chance


# ---------------------------------------------------------------- was the load the same?


def loaded(factor: float, spread: float = 20.0) -> Recording:
    recording = hour()
    recording.on_host({"cpu.pcpu_util": noise(40, 1)})
    recording.shared("naa.1", {"disk.commands": then(noise(1000, spread, seed=2), factor)})
    recording.shared("naa.2", {"disk.commands": then(noise(500, spread, seed=3), factor)})
    recording.vm("db", {"cpu.ready": 1.0})
    return recording


def test_the_same_load_is_told_with_its_numbers() -> None:
    load = halves(loaded(1.0)).load
    assert load.same is True
    assert [(one.title, one.of, one.verdict) for one in load.rows] == [
        ("I/Os a second", "2 devices", "same"),
        ("CPU used", "1 host", "same"),
    ]
    assert load.rows[0].a == pytest.approx(1500, abs=30)


def test_the_load_of_one_vm_is_said_to_be_one_vms() -> None:
    recording = hour()
    recording.vm("db", {"cpu.used": noise(40, 1)})
    assert [one.of for one in halves(recording).load.rows] == ["1 VM"]


def test_another_load_is_told_with_its_numbers() -> None:
    load = halves(loaded(0.6)).load
    assert load.same is False
    assert load.rows[0].verdict == "lower"
    assert "1,5" in load.because
    assert "→ 9" in load.because.replace("8", "9")


def test_a_higher_load_says_when_it_was_as_before() -> None:
    """Twice as much for three of four minutes: every fourth one can be compared."""
    recording = hour()
    commands = noise(1000, 20.0, seed=2)
    minute = np.arange(commands.size) * INTERVAL_S // 60
    commands[(minute >= HALF_S // 60) & (minute % 4 != 0)] *= 2
    recording.on_host({"cpu.pcpu_util": noise(40, 1)})
    recording.shared("naa.1", {"disk.commands": commands})
    (of_ios, *_) = halves(recording).load.rows
    assert (of_ios.title, of_ios.verdict) == ("I/Os a second", "higher")
    fourth = [(one.start - START) // 60_000 for one in of_ios.no_more]
    assert fourth == [minute for minute in range(30, 60) if minute % 4 == 0]
    assert all(40 <= one.seconds <= 60 for one in of_ios.no_more)


def test_a_load_that_jumps_about_is_undecided() -> None:
    assert halves(loaded(1.0, spread=3000.0)).load.same is None


def test_without_counters_of_load_nothing_is_claimed() -> None:
    recording = hour()
    recording.vm("db", {"cpu.ready": 1.0})
    load = halves(recording).load
    assert load.same is None
    assert "No counter of load" in load.because


def test_a_load_in_one_window_only_is_named_with_its_time() -> None:
    recording = loaded(1.0)
    recording.vm("backup-01", {"vdisk.commands": lambda t: np.where((t >= 660) & (t <= 1320), 2000.0, 0.0)})
    (one,) = halves(recording).load.only_in_one
    assert (one.name, one.side, one.title) == ("backup-01", "a", "I/Os a second")
    assert one.when == window(660, 1320)


# ---------------------------------------------------------------- pieces


@given(
    st.lists(st.integers(-3, 3), min_size=1, max_size=20),
    st.lists(st.integers(-3, 3), min_size=1, max_size=20),
)
def test_cliffs_delta_is_what_counting_all_pairs_gives(a: list[int], b: list[int]) -> None:
    pairs = [(y > x) - (y < x) for x in a for y in b]
    assert cliffs_delta(np.array(a, float), np.array(b, float)) == pytest.approx(sum(pairs) / len(pairs))


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=50))
def test_percentiles_are_numpys(values: list[float]) -> None:
    assert list(percentiles(np.array(values))) == np.percentile(values, [50, 95, 99]).tolist()


def test_a_ratio_to_what_may_be_nothing_has_no_interval() -> None:
    assert ratio_interval((1.0, 0.6), (5.0, 0.1), 2.0) is None
    assert ratio_interval((0.0, 0.0), (5.0, 0.1), 2.0) is None
    low, high = ratio_interval((10.0, 0.0), (5.0, 0.5), 2.0) or (0.0, 0.0)
    assert [low, high] == pytest.approx([0.4, 0.6])
    huge = ratio_interval((10e200, 0.0), (5e200, 0.5e200), 2.0)
    assert huge == pytest.approx((0.4, 0.6))  # no square of an error is ever written out


def test_a_number_that_is_as_good_as_nothing_is_compared_with_no_number() -> None:
    """A forged scale: JSON has no number for their ratio."""
    recording = hour()
    recording.vm("web01", {"cpu.used": np.where(np.arange(720) < 360, 5e-324, 40.0)})
    used = row(halves(recording), "cpu.used")
    assert (used.ratio, used.ratio_interval) == (None, None)


@settings(max_examples=30)
@given(st.floats(5, 100), st.floats(5, 100), st.floats(0.01, 0.4), st.floats(0.01, 0.4))
def test_a_ratio_lies_in_its_interval(a: float, b: float, part_a: float, part_b: float) -> None:
    found = ratio_interval((a, a * part_a), (b, b * part_b), 2.0)
    assert found is not None
    assert found[0] <= b / a <= found[1]


SPAN = window(0, 4 * 86_400)


def test_windows_that_are_not_named_are_found() -> None:
    b = window(3 * 86_400, 3 * 86_400 + 600)
    before = windows_of_one(SPAN, None, b)
    assert before.a == TimeRange(b.start - 600_001, b.start - 1)
    day = windows_of_one(SPAN, DAY_BEFORE, b)
    assert (day.a, day.aligned) == (window(2 * 86_400, 2 * 86_400 + 600), "time of day")
    half = windows_of_one(SPAN, None, None)
    assert half.a.end + 1 == half.b.start
    assert "first half" in half.chosen
    assert windows_of_two((SPAN, A), None, None).b == A


def test_windows_that_touch_share_no_sample() -> None:
    """14:00 to 14:30 and 14:30 to 15:00, as anybody types them, were refused as overlapping."""
    first, second = window(0, 1800), window(1800, 3600)
    found = windows_of_one(SPAN, first, second)
    later = TimeRange(second.start + 1, second.end)
    assert (found.a, found.b) == (first, later), "times are shown as they were typed"
    back = windows_of_one(SPAN, second, first)
    assert (back.a, back.b) == (later, first)


@pytest.mark.parametrize(
    ("choose", "words"),
    [
        (lambda: windows_of_one(SPAN, A, window(100, 200)), "overlap"),
        (lambda: windows_of_one(SPAN, A, window(9 * 86_400, 10 * 86_400)), "window B"),
        (lambda: windows_of_one(SPAN, DAY_BEFORE, None), "needs the other window"),
        (lambda: windows_of_two((SPAN, SPAN), DAY_BEFORE, None), "one session"),
    ],
)
def test_windows_that_cannot_be_compared_say_why(choose: Callable[[], object], words: str) -> None:
    with pytest.raises(HyperscopeError, match=words):
        choose()


def test_it_stops_when_it_is_cancelled() -> None:
    cancel = Flag()
    cancel.set()
    made = session(loaded(1.0))
    with pytest.raises(CancelledError):
        compare(Side(made, A), Side(made, B), Choice(), KNOWLEDGE, cancel=cancel)


def test_a_session_that_contains_itself_ends() -> None:
    """Parents in a circle, as only a forged file has them."""
    recording = loaded(1.0)
    made = recording.into(_Circular())
    found = compare(Side(made, A), Side(made, B), Choice(), KNOWLEDGE)
    assert len(found.pairs) == 4


class _Circular(MemorySession):
    def entities(self) -> dict[EntityRef, object]:  # type: ignore[override]
        host = EntityRef("host", "esx01")
        found = super().entities()
        vm = next(ref for ref in found if ref.kind == "vm")
        return {**found, host: replace(found[host], parent=vm)}
