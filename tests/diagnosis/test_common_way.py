"""Devices that are slow, lose commands or lose paths over one way are one problem: what they share."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sessions.findings import Finding
from tests.diagnosis.recordings import Level, Recording, during, findings

LUNS = tuple(f"naa.60000970000297900533030{number}" for number in (3, 4, 5))
FAST, SLOW = 0.8, 180.0


def _paths(adapters: tuple[str, ...] = ("vmhba2", "vmhba3")) -> list[str]:
    return [f"{adapter}:C0:T{target}" for adapter in adapters for target in (0, 1)]


def _host(
    bad: Mapping[str, tuple[str, ...]],
    name: str = "esx04",
    targets: list[str] | None = None,
    **of_bad: Level,
) -> Recording:
    """A host with a path to each LUN over every target; ``bad`` has each LUN's bad targets."""
    host = Recording(name)
    host.on_host({"cpu.pcpu_util": 20.0})
    every = targets or _paths()
    for number, lun in enumerate(LUNS):
        commands = 400.0 * (1 + number)
        levels: dict[str, dict[str, Level]] = {
            one: {
                "disk.commands": commands / len(every),
                "disk.device_latency": FAST,
                "disk.aborts": 0.0,
            }
            | ({f"disk.{key}": level for key, level in of_bad.items()} if one in bad.get(lun, ()) else {})
            for one in every
        }
        slow = len(bad.get(lun, ())) / len(every)
        latency = of_bad.get("device_latency", FAST)
        assert isinstance(latency, float)
        host.shared(lun, {
            "disk.commands": commands,
            "disk.device_latency": slow * latency + (1 - slow) * FAST,
            "disk.aborts": of_bad.get("aborts", 0.0) if slow else 0.0,
        })  # fmt: skip
        for one, counters in levels.items():
            path = host.add("path", f"{name}/{one}:L{number}", counters)
            host.fact(path, "path.device", lun)
    return host


def _roots(found: list[Finding]) -> list[Finding]:
    return [one for one in found if one.consequence_of is None]


def test_a_slow_target_is_one_problem_and_is_named() -> None:
    found = findings(
        _host(dict.fromkeys(LUNS, ("vmhba3:C0:T1",)), device_latency=SLOW), problem="storage.device_latency"
    )
    (root,) = _roots(found)
    assert root.conclusion.startswith("vmhba3:C0:T1 of esx04 is what is slow: 3 devices wait for it")
    assert "Commands over it took 180 ms, over the other ways to the same devices 0.80 ms." in root.conclusion
    assert root.remedies[0].startswith("Only one target of the adapter is slow on esx04, vmhba3:C0:T1;")
    assert root.remedies[1].endswith("--path vmhba3:C0:T1:L0, vmhba3:C0:T1:L1, vmhba3:C0:T1:L2.")
    others = [one for one in found if one is not root]
    assert len(others) == 2
    assert {one.consequence_of for one in others} == {(root.problem, root.entity)}
    assert all(one.remedies == () and "It is slow over the same way." in one.notes for one in others)


def test_where_all_targets_of_an_adapter_are_slow_it_is_the_adapter() -> None:
    bad = dict.fromkeys(LUNS, ("vmhba3:C0:T0", "vmhba3:C0:T1"))
    (root,) = _roots(findings(_host(bad, device_latency=SLOW), problem="storage.device_latency"))
    assert root.conclusion.startswith("vmhba3 of esx04 is what is slow: 3 devices")
    assert root.remedies[0].startswith("All that goes over vmhba3 of esx04 is slow, whatever its target")


def test_an_adapter_with_one_target_may_be_either() -> None:
    bad = dict.fromkeys(LUNS, ("vmhba3:C0:T0",))
    targets = ["vmhba2:C0:T0", "vmhba3:C0:T0"]
    host = _host(bad, targets=targets, device_latency=SLOW)
    (root,) = _roots(findings(host, problem="storage.device_latency"))
    assert "vmhba3:C0:T0, the only target that its adapter reaches" in root.remedies[0]


def test_two_targets_that_are_slow_over_both_adapters_are_named_together() -> None:
    bad = dict.fromkeys(LUNS, ("vmhba2:C0:T1", "vmhba3:C0:T1"))
    (root,) = _roots(findings(_host(bad, device_latency=SLOW), problem="storage.device_latency"))
    assert root.conclusion.startswith("vmhba2:C0:T1 and vmhba3:C0:T1 of esx04 is what is slow")


def test_a_device_that_is_fast_over_the_same_target_clears_it() -> None:
    bad = dict.fromkeys(LUNS[:2], ("vmhba3:C0:T1",))
    found = findings(_host(bad, device_latency=SLOW), problem="storage.device_latency")
    assert len(_roots(found)) == 2
    assert all("is what is slow" not in one.conclusion for one in found)


def test_devices_that_are_slow_over_different_targets_share_nothing() -> None:
    bad = {LUNS[0]: ("vmhba2:C0:T1",), LUNS[1]: ("vmhba3:C0:T1",)}
    found = findings(_host(bad, device_latency=SLOW), problem="storage.device_latency")
    assert len(_roots(found)) == 2


def test_two_hosts_that_find_it_slow_tell_of_the_port_of_the_array() -> None:
    bad = dict.fromkeys(LUNS, ("vmhba3:C0:T1",))
    hosts = [_host(bad, name, device_latency=SLOW) for name in ("esx04", "esx05")]
    (root,) = _roots(findings(*hosts, problem="storage.device_latency"))
    assert root.conclusion.startswith("vmhba3:C0:T1 of esx04 and esx05 is what is slow: 3 devices")
    assert any("then it is the port of the array" in note for note in root.notes)


def test_what_a_target_loses_is_one_problem() -> None:
    bad = dict.fromkeys(LUNS, ("vmhba3:C0:T1",))
    (root,) = _roots(findings(_host(bad, aborts=0.4), problem="storage.aborts"))
    assert root.conclusion.startswith(
        "vmhba3:C0:T1 of esx04 is what loses commands: 3 devices give up 0.40 /s"
    )


def test_what_both_targets_of_an_adapter_lose_is_the_adapter_s() -> None:
    """It was said that the paths share what is lost, since no single one has nearly all of it."""
    bad = dict.fromkeys(LUNS, ("vmhba3:C0:T0", "vmhba3:C0:T1"))
    (root,) = _roots(findings(_host(bad, aborts=0.4), problem="storage.aborts"))
    assert root.conclusion.startswith("vmhba3 of esx04 is what loses commands: 3 devices give up")
    assert root.remedies[0].startswith("What is lost on esx04 goes over vmhba3, whatever its target")


def test_a_device_that_loses_over_one_adapter_alone_names_its_paths() -> None:
    (found,) = findings(
        _host({LUNS[0]: ("vmhba3:C0:T0", "vmhba3:C0:T1")}, aborts=0.4), problem="storage.aborts"
    )
    cause = next(one for one in found.causes if one.cause == "path_fault")
    assert cause.verdict == "likely"
    assert "vmhba3:C0:T0" in cause.because
    assert "vmhba3:C0:T1" in cause.because
    assert "vmhba2" not in cause.because


def test_what_all_paths_share_is_no_path_s() -> None:
    (found,) = findings(_host({LUNS[0]: tuple(_paths())}, aborts=0.4), problem="storage.aborts")
    assert next(one for one in found.causes if one.cause == "path_fault").verdict == "ruled out"


def test_what_a_slow_way_loses_follows_from_it() -> None:
    bad = dict.fromkeys(LUNS, ("vmhba3:C0:T1",))
    found = findings(_host(bad, device_latency=SLOW, aborts=0.4))
    assert [one.problem for one in _roots(found)] == ["storage.device_latency"]
    notes = {note for one in found if one.problem == "storage.aborts" for note in one.notes}
    assert "The slow way loses commands, too." in notes


@pytest.mark.parametrize(
    ("lost", "named"),
    [(("vmhba3:C0:T1",), "vmhba3:C0:T1"), (("vmhba3:C0:T0", "vmhba3:C0:T1"), "vmhba3")],
)
def test_paths_that_are_lost_together_are_one_problem(lost: tuple[str, ...], named: str) -> None:
    host = _host(dict.fromkeys(LUNS, lost), commands=during(0, 300, 100.0))
    (root,) = _roots(findings(host, problem="storage.path"))
    assert root.conclusion.startswith(f"{named} of esx04 is what is gone: 3 devices lost their paths over it")


@pytest.mark.parametrize("part", ["C1:T0", "C0:T1"])
def test_a_software_adapter_has_no_cable_of_its_own(part: str) -> None:
    """Sessions of software iSCSI leave by a VMkernel port and its uplink, whatever their runtime name."""
    targets = ["vmhba64:C0:T0", "vmhba64:C1:T0", "vmhba64:C0:T1"]
    bad = dict.fromkeys(LUNS, (f"vmhba64:{part}",))
    (root,) = _roots(
        findings(_host(bad, targets=targets, device_latency=SLOW), problem="storage.device_latency")
    )
    assert root.conclusion.startswith(f"vmhba64:{part} of esx04 is what is slow")
    assert "leaves by a VMkernel port and its uplink" in root.remedies[0]
    assert "SFP" not in root.remedies[0]


def test_an_array_is_not_overloaded_where_one_path_loses_what_takes_long() -> None:
    """What is sent again over another path takes long: "possible" sent the admin to the array."""
    bad = dict.fromkeys(LUNS, ("vmhba3:C0:T1",))
    hosts = _host(bad, aborts=0.4, device_latency=SLOW), _host({}, "esx05")
    for found in findings(*hosts, problem="storage.aborts"):
        said = {one.cause: one for one in found.causes}
        assert said["path_fault"].verdict == "likely"
        assert said["array_overloaded"].verdict == "ruled out"
        assert "being sent again over another path explains that" in said["array_overloaded"].because
        assert "not slow" not in said["array_overloaded"].because
