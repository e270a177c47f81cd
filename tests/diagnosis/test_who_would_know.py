"""A problem that no connected source can show says which source would, on a terminal and in the window."""

from __future__ import annotations

import pytest

from diagnosis import Diagnosis
from diagnosis.who_would_know import lacking_text, untold_text
from resources.problem_cards import Card
from sessions.clock import Clock
from sessions.model import SourceKind
from sessions.verdict_wording import check_because, limits_of, verdict_json
from sessions.verdicts import CheckReach
from tests.diagnosis.recordings import Recording, catalogue, diagnosed, problems
from viewmodels.verdict_words import verdict_words

CARDS = [card for card in problems().cards if card.rules]
SOURCES = ("esxtop", "vCenter", "vSAN performance service")


def bare(kind: SourceKind) -> Diagnosis:
    """A host and a VM with hardly any counter."""
    recording = Recording(source=kind, interval=20.0)
    recording.on_host({"power.usage": 200.0})
    recording.vm("web01", {"cpu.run": 1.0})
    return diagnosed(recording)


@pytest.fixture(scope="module", params=["esxtop", "vcenter", "esxi"])
def diagnosis(request: pytest.FixtureRequest) -> Diagnosis:
    return bare(request.param)


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_every_problem_that_was_not_looked_for_says_who_would_show_it(
    card: Card, diagnosis: Diagnosis
) -> None:
    """Or that nothing can have it: an inventory is there, and has nothing of the kind."""
    check = next(one for one in diagnosis.verdict.checks if one.problem == card.id)
    because = check_because(check)
    if check.verdict == "not applicable" and not check.shown_by:
        assert because == "nothing in the session can have it"
        assert bare_kinds(diagnosis) & {"vcenter", "esxi"}
    elif check.verdict != "not found":
        assert any(source in because for source in SOURCES), because


def bare_kinds(diagnosis: Diagnosis) -> set[str]:
    """The kinds of sources, by the name that ``bare`` gives a check that only vCenter shows."""
    cluster = next(one for one in diagnosis.verdict.checks if one.problem == "cluster.imbalance")
    fault = next(one for one in diagnosis.verdict.checks if one.problem == "ft.slow")
    return {"vcenter"} if not cluster.shown_by else {"esxi"} if not fault.shown_by else {"esxtop"}


def of(found: Diagnosis, problem: str) -> CheckReach:
    return next(one for one in found.verdict.checks if one.problem == problem)


def test_they_are_told_together_by_who_would_show_them() -> None:
    found = bare("esxtop")
    sentences = limits_of(found.verdict)
    (vcenter,) = [one for one in sentences if one.endswith("more: a vCenter would show them.")]
    assert vcenter.startswith("Not looked for: ")
    assert any(one.endswith("the vSAN performance service would show them.") for one in sentences)
    words = verdict_words(found.verdict, Clock().iso)
    assert vcenter in words.left_out, "the window says it, too"
    assert vcenter in words.sentences


def test_a_vcenter_without_clusters_hides_none() -> None:
    found = bare("vcenter")
    assert of(found, "cluster.imbalance").shown_by == ""
    assert of(found, "ft.slow").shown_by == ""
    assert not any("a vCenter would show" in one and "preset" not in one for one in limits_of(found.verdict))


def test_uplinks_and_devices_that_are_missing_are_missed() -> None:
    """Every host has some: a capture without their columns has no good news of them."""
    found = bare("esxtop")
    assert of(found, "storage.device_latency").shown_by == "esxtop -b -a or a vCenter"
    assert of(found, "net.saturated").shown_by == "esxtop -b -a or a vCenter"
    document = verdict_json(found.verdict)
    checks = document["problems"]
    assert isinstance(checks, list)
    (one,) = [check for check in checks if check["problem"] == "net.saturated"]
    assert one["because"] == "no connected source shows it; esxtop -b -a or a vCenter would"


def test_what_a_vcenter_counts_is_not_only_esxtops() -> None:
    reason = of(bare("vcenter"), "cpu.costop").reason
    assert reason.endswith("esxtop on the hosts has it; the preset troubleshooting asks vCenter for it")


def test_a_vcenter_that_is_recorded_is_not_named_as_one_that_is_missing() -> None:
    lacking = ["datastore.sioc_active"]
    assert lacking_text(lacking, catalogue(), {"esxtop"}).endswith("; vCenter has it")
    told = lacking_text(lacking, catalogue(), {"vcenter"})
    assert told.endswith("; the preset troubleshooting asks vCenter for it")


def test_facts_are_named_in_an_admins_words() -> None:
    names = {"drs.recommendations", "vdisk.controller_depth", "events"}
    told = untold_text(names, {"vcenter"})
    assert told.endswith("tell of DRS recommendations, tasks and events, virtual disk controller depth")


def test_a_rule_that_only_finds_asks_for_no_source_that_is_there() -> None:
    """A capture with uplinks: that no neighbour fills one is not known, but esxtop is connected."""
    recording = Recording(source="esxtop", interval=20.0)
    recording.vm("web01", {"cpu.run": 1.0})
    traffic = {"net.mbits_tx": 5.0, "net.packets_tx": 900.0, "net.drops_tx": 0.0}
    recording.add("nic", "esx01/vmnic0", {**traffic, "net.link_speed": 1000.0})
    recording.add("port", "esx01/web01.eth0", traffic)
    check = of(diagnosed(recording), "net.noisy_neighbour")
    assert (check.verdict, check.shown_by, check.told_if_found) == ("not applicable", "", True)
    assert check_because(check) == "it is told where it is found; that it was not found here is no all-clear"
    assert of(bare("esxtop"), "net.noisy_neighbour").shown_by == "esxtop -b -a or a vCenter"
