"""Samples that can't be true are left out of judging and told; zeros that say nothing are no all-clear."""

from __future__ import annotations

import numpy as np
import pytest

from diagnosis.possible_samples import PossibleSamples
from resources.possible_values import load_possible_values
from sessions.model import EntityRef, FloatArray
from sessions.verdict_wording import verdict_sentence, verdict_title
from tests.diagnosis.recordings import START, Recording, catalogue, diagnosed, session
from viewmodels.verdict_words import verdict_health

WEB01 = EntityRef("vm", "esx01/vm/web01")


def with_host(seconds: float = 600, **levels: float) -> Recording:
    recording = Recording(seconds=seconds)
    recording.on_host({"cpu.pcpu_util": 40.0, "mem.machine": 90_000.0, "mem.free": 9000.0, "mem.state": 0.0})
    return recording


def but(value: float, *, every: int = 10) -> FloatArray:
    """Ten minutes of 0.5, but every so many samples something else."""
    samples = np.full(120, 0.5)
    samples[::every] = value
    return samples


def said(recording: Recording) -> str:
    verdict = diagnosed(recording).verdict
    return f"{verdict_title(verdict)}. {verdict_sentence(verdict, str)}"


@pytest.mark.parametrize("wild", [1e15, -50.0, 4_294_967_295.0])
def test_a_number_that_no_host_has_is_left_out_counted_and_told(wild: float) -> None:
    recording = with_host()
    recording.vm("web01", {"cpu.max_limited": 0.0, "cpu.ready": but(wild)})
    found = diagnosed(recording)
    assert not found.findings
    assert "12 values of 1 counter can't be true and were left out: CPU ready (%RDY) of web01 (" in said(
        recording
    )
    assert found.reach[WEB01].to == START + 595_000


def test_what_is_bad_between_such_numbers_is_found_with_its_own_numbers() -> None:
    recording = with_host()
    samples = but(1e15, every=20)
    samples[samples == 0.5] = 30.0
    recording.vm("web01", {"cpu.max_limited": 0.0, "cpu.ready": samples})
    (found,) = (one for one in diagnosed(recording).findings if one.problem == "cpu.ready_high")
    assert max(item.value for item in found.evidence if item.counter == "cpu.ready") == 30.0


def test_numbers_of_which_none_can_be_true_judge_nothing() -> None:
    recording = with_host()
    recording.vm("web01", {"cpu.ready": 1e15})
    found = diagnosed(recording)
    check = next(one for one in found.verdict.checks if one.problem == "cpu.ready_high")
    assert (check.verdict, check.judged) == ("insufficient data", 0)
    assert WEB01 not in found.reach
    assert not found.findings, "that its samples are missing would not be true"


def test_what_is_only_unlikely_is_judged() -> None:
    recording = with_host()
    recording.vm("huge", {"cpu.max_limited": 0.0, "cpu.ready": 60_000.0}, vcpus=768)
    assert "left out" not in said(recording)
    assert any(one.problem == "cpu.ready_high" for one in diagnosed(recording).findings)


def test_a_limit_of_minus_one_is_none_and_is_not_left_out() -> None:
    recording = with_host()
    recording.vm(
        "web01", {"cpu.max_limited": 0.0, "cpu.ready": 0.5, "mem.alloc_max": -1.0, "cpu.vmwait": -3.0}
    )
    assert "left out" not in said(recording)


@pytest.mark.parametrize("wild", [1e308, 2.0**63, -5000.0])
def test_a_fact_that_no_inventory_can_tell_is_none(wild: float) -> None:
    recording = with_host()
    vm = recording.vm("web01", {"cpu.ready": 0.5})
    recording.fact(vm, "cpu.limit_mhz", wild)
    recording.fact(vm, "cpu.limit_mhz", 2000.0, 300.0)
    recording.fact(vm, "mem.limit_mb", 4000.0, 300.0, 200.0)
    whole = session(recording)
    span = whole.span()
    assert span is not None
    possible = PossibleSamples(whole, load_possible_values(), ["cpu.ready"], span).facts()
    assert [(one.name, one.value) for one in possible] == [("vcpus", 2.0), ("cpu.limit_mhz", 2000.0)]


def test_counts_that_no_vm_can_have_are_left_out_of_facts() -> None:
    recording = with_host()
    vm = recording.vm("web01", {"cpu.ready": 30.0, "cpu.max_limited": 0.0}, vcpus=0)
    recording.fact(vm, "snapshots", 1e15)
    assert [one.problem for one in diagnosed(recording).findings] == ["cpu.ready_high"]


@pytest.mark.parametrize("source", ["esxtop", "vcenter"])
def test_a_recording_in_which_nothing_ever_counted_is_no_all_clear(source: str) -> None:
    recording = Recording(seconds=600, source=source)  # type: ignore[arg-type]
    recording.on_host({"cpu.pcpu_util": 0.0, "mem.machine": 0.0, "mem.free": 0.0, "mem.state": 0.0})
    recording.vm("web01", {"cpu.ready": 0.0, "cpu.max_limited": 0.0, "mem.swap_read": 0.0})
    recording.add("nic", "vmnic0", {"net.drops_tx": 0.0, "net.drops_rx": 0.0})
    recording.shared("naa.1", {"disk.device_latency": 0.0, "disk.commands": 0.0, "disk.aborts": 0.0})
    found = diagnosed(recording)
    assert found.verdict.state == "could not be judged"
    assert (
        "insufficient data: nothing in it ever counted: no processor was ever busy and the host has no memory"
        in (found.verdict.reason)
    )
    assert "No problem" not in said(recording)
    assert not found.reach
    assert not found.findings, "that samples are missing would not be true"
    assert not [one.problem for one in found.verdict.checks if one.verdict == "not found"]
    ready = next(one for one in found.verdict.checks if one.problem == "cpu.ready_high")
    assert (ready.verdict, ready.reason) == ("insufficient data", "what it looks at never counted")


def test_an_area_that_never_counted_is_not_judged_and_the_others_are() -> None:
    recording = Recording(seconds=600)
    recording.on_host({"cpu.pcpu_util": 0.0, "cpu.pcpu_used": 0.0})
    recording.on_host({"mem.machine": 90_000.0, "mem.free": 9000.0, "mem.state": 0.0})
    recording.vm("web01", {"cpu.ready": 0.0, "cpu.max_limited": 0.0})
    found = diagnosed(recording)
    assert {one.problem.partition(".")[0] for one in found.verdict.judged_checks} <= {"mem", "data"}
    assert "Judged in part: esx01: zeros were left out: no processor was ever busy" in said(recording)
    assert verdict_health(found.verdict) == "partly"


def test_one_of_two_hosts_of_a_vcenter_that_never_counted_is_named() -> None:
    recording = Recording(seconds=1200, interval=20, source="vcenter")
    recording.on_host({"cpu.pcpu_util": 40.0, "mem.free": 9000.0, "mem.state": 0.0})
    dead = recording.another_host("esx02", {"cpu.pcpu_util": 0.0, "mem.free": 0.0, "mem.state": 0.0})
    found = diagnosed(recording)
    assert found.verdict.is_judged
    assert dead not in found.reach
    assert "insufficient data: nothing in it ever counted" in said(recording)


def test_zeros_of_an_idle_host_are_judged() -> None:
    recording = with_host()
    recording.vm(
        "idle", {"cpu.ready": 0.0, "cpu.max_limited": 0.0, "mem.swap_read": 0.0, "mem.swap_write": 0.0}
    )
    recording.add("nic", "vmnic0", {"net.drops_tx": 0.0, "net.drops_rx": 0.0})
    text = said(recording)
    assert "left out" not in text
    assert "ever counted" not in text


def test_a_host_that_was_busy_once_counts() -> None:
    recording = Recording(seconds=600)
    recording.on_host({"cpu.pcpu_util": lambda t: np.where(t == 300, 1.0, 0.0), "mem.machine": 90_000.0})
    assert "left out" not in said(recording)


@pytest.mark.parametrize("kb", [2.0**31, 2.0**32 - 1])
@pytest.mark.parametrize(
    ("counter", "unit", "of_a_kb"),
    [
        ("net.mbits_tx", "Mbit/s", 8 / 1000),
        ("disk.read_mb", "MB/s", 1 / 1024),
        ("mem.swap_read", "MB/s", 1 / 1024),
    ],
)
def test_a_32_bit_count_of_kilobytes_below_zero_can_t_be(
    counter: str, unit: str, of_a_kb: float, kb: float
) -> None:
    """vCenter counts these in KB/s, in 32 bits."""
    _, most = load_possible_values().limits(counter, unit)
    assert most < kb * of_a_kb
    assert most >= 10 * 400_000 * of_a_kb / (8 / 1000), "ten ports of 400 Gbit/s can"


def test_the_knowledge_names_counters_and_units_that_there_are() -> None:
    values = load_possible_values()
    assert all(catalogue().get(key) is not None for key in values.signs)
    units = {one.unit for one in catalogue().counters()}
    assert {one.unit for one in values.range} <= units
    assert all(one.source for one in values.range)
    assert all(one.source for one in values.fact)
    assert all(one.source for one in values.never_zero)


def test_reservation_conflicts_without_a_single_sample_are_not_ruled_out() -> None:
    recording = with_host()
    recording.shared("naa.1", {"disk.conflicts": float("nan"), "disk.commands": float("nan")})
    checks = diagnosed(recording).verdict.checks
    check = next(one for one in checks if one.problem == "storage.reservation_conflicts")
    assert (check.verdict, check.judged) == ("insufficient data", 0)
