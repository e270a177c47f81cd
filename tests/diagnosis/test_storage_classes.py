"""Classes of storage: what tells them, which numbers judge them, and what a finding and a verdict say of
it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from diagnosis import Diagnosis, diagnose_session
from diagnosis.documents import findings_json
from resources.threshold_sets import ChosenClass, OwnSet, OwnThresholds
from sessions.model import EntityRef, FloatArray
from sessions.verdict_wording import limits_of
from tests.diagnosis.expert.scenarios import diagnosed as expert_diagnosed
from tests.diagnosis.expert.scenarios import scenarios
from tests.diagnosis.recordings import Level, Recording, catalogue, problems, session
from tests.diagnosis.test_cards_storage import BUSY

LUN = "naa.600508b4000603860000000000000001"
NVME = "eui.00d0231000b7e6a50000000000000101"
PROBLEM = "storage.device_latency"
NO_SETS = OwnThresholds()


def device(name: str, latency: Level, facts: Mapping[str, str | bool] | None = None) -> Recording:
    recording = Recording("esx01")
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 40.0})
    ref = recording.shared(name, {**BUSY, "disk.device_latency": latency})
    for fact, value in (facts or {}).items():
        recording.fact(ref, fact, value)
    return recording


def judged(recording: Recording, own: OwnThresholds = NO_SETS, trouble: str = "") -> Diagnosis:
    return diagnose_session(session(recording), problems().judged_by(own, trouble), catalogue())


def severity(outcome: Diagnosis) -> str:
    return next((one.severity for one in outcome.findings if one.problem == PROBLEM), "")


def notes(outcome: Diagnosis) -> str:
    return " ".join(next(one.notes for one in outcome.findings if one.problem == PROBLEM))


def rising(usual: float, to: float) -> Level:
    """Its usual latency, and another one in the last third."""

    def at(seconds: FloatArray) -> FloatArray:
        return np.where(seconds > seconds[-1] * 2 / 3, to, usual)

    return at


@pytest.mark.parametrize(
    ("name", "facts", "said"),
    [
        (NVME, {}, "Class NVMe, because its name is one of an NVMe device."),
        ("t10.NVMe____Dell_Ent_NVMe_0100", {}, "Class NVMe, because its name is one of an NVMe device."),
        (LUN, {"device.protocol": "NVMe"}, "Class NVMe, because the device says so (protocol NVMe)."),
        (LUN, {"device.vendor": "NVMe"}, "Class NVMe, because the device says so (vendor NVMe)."),
        (LUN, {"device.ssd": True}, "Class SSD, because the device says so (SSD)."),
        ("t10.ATA_____Samsung_SSD_870", {}, "Class SSD, because its name says so."),
        (
            "mpx.vmhba0:C0:T0:L0",
            {"device.local": True, "device.ssd": False},
            "Class HDD, because the device says that it is a local disk and no SSD.",
        ),
        (LUN, {"device.local": False, "device.ssd": False}, ""),  # nobody told the host what the LUN is
        (LUN, {"device.vendor": "NVMe-oF gateway"}, ""),
        ("mpx.vmhba0:C0:T0:L0", {"device.local": True}, ""),
        (LUN, {}, ""),
    ],
)
def test_what_a_device_says_of_itself(name: str, facts: dict[str, str | bool], said: str) -> None:
    outcome = judged(device(name, 50.0, facts))
    assert severity(outcome) == "critical"
    assert notes(outcome) == said


@pytest.mark.parametrize(
    ("name", "facts", "latency", "severity_"),
    [
        (LUN, {}, 10.5, "warning"),
        (LUN, {"device.local": True, "device.ssd": False}, 12.0, ""),  # a spinning disk may take so long
        (LUN, {"device.local": True, "device.ssd": False}, 16.0, "warning"),
        (LUN, {"device.local": True, "device.ssd": False}, 22.0, "warning"),
        (LUN, {"device.local": True, "device.ssd": False}, 26.0, "critical"),
        (NVME, {}, 4.5, ""),  # always so: no usual time to compare with, and under its limit
        (NVME, {}, 5.5, "warning"),
        (LUN, {"device.ssd": True}, 9.0, ""),
        (LUN, {"device.ssd": True}, rising(0.3, 2.5), "warning"),
        (NVME, {}, rising(0.2, 2.5), "warning"),
        (LUN, {}, rising(0.3, 2.5), ""),  # nobody says that it is flash
        (NVME, {}, rising(0.09, 1.9), "warning"),  # twenty times its usual
        (NVME, {}, rising(0.09, 0.9), ""),  # ten times its usual, and still quick
        (LUN, {"device.ssd": True}, rising(0.2, 1.8), ""),
        (NVME, {}, rising(1.0, 4.5), ""),  # busy, not unusual: under five times its usual
    ],
)
def test_each_class_by_its_numbers_and_its_own_usual(
    name: str, facts: dict[str, str | bool], latency: Level, severity_: str
) -> None:
    assert severity(judged(device(name, latency, facts))) == severity_


def test_devices_of_several_classes_are_judged_side_by_side() -> None:
    recording = device(LUN, 12.0)
    recording.shared(NVME, {**BUSY, "disk.device_latency": 6.0})
    spinning = recording.shared("mpx.vmhba0:C0:T0:L0", {**BUSY, "disk.device_latency": 14.0})
    recording.fact(spinning, "device.local", True)
    recording.fact(spinning, "device.ssd", False)
    found = {one.entity_name: one for one in judged(recording).findings if one.problem == PROBLEM}
    assert set(found) == {LUN, NVME}
    limits = {
        name: next(item.threshold for item in one.evidence if item.statistic == "mean")
        for name, one in found.items()
    }
    assert limits == {LUN: 10.0, NVME: 5.0}  # what was compared is what is shown


def test_the_verdict_of_a_check_shows_the_limit_of_the_class() -> None:
    checks = {one.problem: one for one in judged(device(NVME, 3.0)).verdict.checks}
    number = checks[PROBLEM].number
    assert number is not None
    assert (number.value, number.limit) == (3.0, 5.0)


def test_an_own_limit_of_unusual_latency_is_the_only_one_from_which_it_is_unusual() -> None:
    own = OwnThresholds(sets=[OwnSet("NVMe, yours", "nvme", {"unusual": 3.0}, 1, "2026-11-22")])
    twenty_times_its_usual = rising(0.1, 2.5)
    assert severity(judged(device(NVME, twenty_times_its_usual))) == "warning"
    assert severity(judged(device(NVME, twenty_times_its_usual), own)) == ""


SSD_SET = OwnSet("SSD, yours", "ssd", {"latency_warn": 4.0, "latency_crit": 8.0}, 3, "2026-11-22")


def test_an_own_set_judges_and_is_named_with_its_version() -> None:
    recording = device(LUN, 6.0, {"device.ssd": True})
    assert severity(judged(recording)) == ""
    outcome = judged(recording, OwnThresholds(sets=[SSD_SET]))
    assert severity(outcome) == "warning"
    assert notes(outcome) == (
        "Class SSD, because the device says so (SSD). Judged with SSD, yours v3 of 2026-11-22."
    )
    assert outcome.verdict.judged_with == ("SSD, yours v3 of 2026-11-22",)
    assert "Judged with SSD, yours v3 of 2026-11-22." in limits_of(outcome.verdict)
    told = findings_json(outcome)["verdict"]
    assert isinstance(told, dict)
    assert told["judged_with"] == ["SSD, yours v3 of 2026-11-22"]


def test_a_set_that_is_not_used_or_of_another_class_judges_nothing() -> None:
    recording = device(LUN, 6.0, {"device.ssd": True})
    unused = OwnSet("a", "ssd", {"latency_warn": 4.0}, used=False)
    other = OwnSet("b", "nvme", {"latency_warn": 4.0})
    outcome = judged(recording, OwnThresholds(sets=[unused, other]))
    assert (severity(outcome), outcome.verdict.judged_with) == ("", ())


def test_a_class_that_was_chosen_for_a_name_goes_before_what_the_device_says() -> None:
    chosen = [ChosenClass("EUI.00d023*", "hdd", note="a gateway to tape"), ChosenClass("*", "nvme")]
    recording = device(NVME, 16.0)
    outcome = judged(recording, OwnThresholds(chosen=chosen))
    assert severity(outcome) == "warning"
    assert notes(outcome) == (
        "Class HDD, because you chose it for names like EUI.00d023* (a gateway to tape)."
    )


def test_a_class_that_was_chosen_for_a_datastore_holds_for_its_devices() -> None:
    recording = device(LUN, 6.0, {"device.datastore": "gold-01"})
    recording.shared("gold-01", {}, "datastore")
    chosen = [ChosenClass("gold-*", "nvme", kind="datastore")]
    assert severity(judged(recording)) == ""
    assert severity(judged(recording, OwnThresholds(chosen=chosen))) == "warning"


def test_sets_that_could_not_be_used_are_told_in_the_verdict() -> None:
    sentence = "The shipped limits judge storage: thresholds.toml can't be used: it is not TOML."
    outcome = judged(device(LUN, 12.0), trouble=sentence)
    assert severity(outcome) == "warning"
    assert sentence in limits_of(outcome.verdict)


def test_a_card_says_of_unknown_devices_what_their_class_says() -> None:
    for card in problems().cards:
        for name, one in card.thresholds.items():
            shipped = problems().storage.shipped("other", one.of_class) if one.of_class else None
            assert shipped in (None, one.value), (card.id, name)


def test_two_things_that_lie_on_each_other_in_a_forged_session() -> None:
    recording = device(LUN, 50.0, {"device.datastore": "ds-1"})
    recording.fact(EntityRef("datastore", "ds-1"), "device.datastore", "ds-1")
    assert severity(judged(recording, OwnThresholds(sets=[OwnSet("nothing", "other", {})]))) == "critical"


def test_a_class_that_a_datastore_has_from_its_device_is_told_in_one_sentence() -> None:
    """Not "it lies on nvmeof-1: it lies on eui.…: its name is one of an NVMe device"."""
    diagnosis = expert_diagnosed(scenarios()["seventh-iops-limit-lifted"], "vcenter")
    (found,) = [one for one in diagnosis.findings if one.problem == "storage.vm_latency"]
    (note,) = [one for one in found.notes if "Class " in one]
    assert "because it lies on nvmeof-1, which lies on eui." in note
    assert note.count("it lies on") == 1
