"""The card and the page of “would DRS help here?” as values: what they say, and what they say without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from resources.guided_tests import load_guided_tests
from resources.study_numbers import load_studies
from sessions.store import SessionReader
from tests.wizards.recorded_placements import write
from viewmodels.snapshot import Snapshot, read_snapshot
from wizards.flows.cards import Connected, card_groups
from wizards.flows.drs_gain import cluster_gains
from wizards.flows.drs_gain_sheet import gain_sheet
from wizards.flows.gallery import TestCard, chosen_cards, count_of
from wizards.flows.recorded_about import RecordedAbout, recorded_about
from wizards.flows.result_sheet import ResultSheet

SECOND = ("4H", "3H1L", "1H3L", "4L")
EVEN = ("2H2L", "2H2L", "2H2L", "2H2L")
TEN_MINUTES = 600.0


def snapshot_of(path: Path) -> Snapshot:
    with SessionReader.open(path) as reader:
        return read_snapshot(reader, path)


def card(recorded: RecordedAbout | None, reach: str = "") -> TestCard:
    connected = Connected("lab", "The lab") if reach else Connected("")
    groups = card_groups(load_guided_tests(), connected, (), "", recorded, TEN_MINUTES)
    assert count_of(groups, "reads") == 1
    ((group,)) = chosen_cards(groups, "reads", "")
    assert group.question == "Would DRS help?"
    assert group.hint == "start with the one that only reads"
    return group.cards[0]


def page(path: Path, why_not: str = "") -> ResultSheet:
    with SessionReader.open(path) as reader:
        return gain_sheet(cluster_gains(reader, load_studies()), why_not)


def test_the_card_works_without_a_connection_where_enough_was_recorded(tmp_path: Path) -> None:
    about = recorded_about(snapshot_of(write(tmp_path / "s.hscope", {"Perf": SECOND})))
    found = card(about)
    assert (found.readiness, found.button, found.level) == ("ready", "Look", 0)
    assert found.here == "Cluster Perf: 4 hosts, 16 VMs, 30 min recorded"
    assert "nothing written" in found.cost


@pytest.mark.parametrize(
    ("hosts", "seconds", "counters", "readiness", "here"),
    [
        (("4H",), 1800, ("cpu.used",), "impossible", "needs the recorded VMs of two hosts"),
        (SECOND, 1800, ("cpu.ready",), "impossible", "no CPU counters of VMs"),
        (SECOND, 240, ("cpu.used",), "missing", "Needs 10 min: 4 min recorded"),
    ],
)
def test_the_card_says_what_is_lacking(
    tmp_path: Path, hosts: Sequence[str], seconds: int, counters: Sequence[str], readiness: str, here: str
) -> None:
    path = write(tmp_path / "s.hscope", {"Perf": hosts}, seconds, counters=counters)
    found = card(recorded_about(snapshot_of(path)))
    assert found.readiness == readiness
    assert here in found.here


def test_without_a_session_there_is_nothing_to_look_at() -> None:
    assert card(None).readiness == "impossible"
    assert card(None).here == "Open or record a session to look at"


def test_of_several_clusters_the_card_names_one_and_says_how_many(tmp_path: Path) -> None:
    path = write(tmp_path / "s.hscope", {"Small": ("2H", "1H"), "Perf": SECOND})
    assert recorded_about(snapshot_of(path)).text == "Cluster Perf (1 of 2): 4 hosts, 16 VMs, 30 min recorded"


def test_a_session_that_grows_is_not_counted_again(tmp_path: Path) -> None:
    snapshot = snapshot_of(write(tmp_path / "s.hscope", {"Perf": SECOND}))
    before = replace(recorded_about(snapshot), vms=7, seconds=60)
    found = recorded_about(snapshot, before)
    assert (found.vms, found.seconds) == (7, 1800)
    other = snapshot_of(write(tmp_path / "t.hscope", {"Perf": EVEN}))
    assert recorded_about(other, before).vms == 16


def test_where_vms_are_may_be_told_after_their_counters(tmp_path: Path) -> None:
    """As in an import: hosts of VMs are told when their first row was read."""
    whole = snapshot_of(write(tmp_path / "s.hscope", {"Perf": SECOND}))
    early = replace(whole, records=replace(whole.records, hosts={}))
    before = recorded_about(early)
    assert before.vms == 0
    assert recorded_about(whole, before).vms == 16


def test_the_page_shows_the_placements_and_what_was_wanted(tmp_path: Path) -> None:
    found = page(write(tmp_path / "s.hscope", {"Perf": SECOND, "Even": EVEN}))
    assert found.head.line == "DRS would help here: about +18.5 % by 5 moves."
    assert found.head.state == "none"  # indicative: no colour
    today, after = found.placements
    assert [(one.host, len(one.vms), round(one.demand)) for one in today.hosts] == [
        ("perf1", 4, 140),
        ("perf2", 4, 110),
        ("perf3", 4, 50),
        ("perf4", 4, 20),
    ]
    assert not today.is_balanced
    assert after.is_balanced
    assert not any(vm.is_moved for row in today.hosts for vm in row.vms)
    assert sum(vm.is_moved for row in after.hosts for vm in row.vms) == 5
    assert found.run is not None
    assert [one.name for one in found.run.curves] == ["perf1", "perf2", "perf3", "perf4"]
    assert np.allclose(found.run.curves[0].values, 140.0, atol=0.1)
    assert found.raw is not None
    assert len(found.raw.rows) == 5
    assert found.notes is not None
    assert found.notes.lines[-1].title == "Cluster Even:"
    assert found.put_back.lines == ()


def test_of_many_vms_on_a_host_the_page_shows_some_and_counts_the_rest(tmp_path: Path) -> None:
    today, _ = page(write(tmp_path / "s.hscope", {"Perf": ("9L", "9L")})).placements
    assert [one.name for one in today.hosts[0].vms][-1] == "+5"
    assert len(today.hosts[0].vms) == 5


def test_of_many_hosts_the_page_shows_those_that_change_most(tmp_path: Path) -> None:
    today, _ = page(write(tmp_path / "s.hscope", {"Perf": (*SECOND, *EVEN)})).placements
    assert len(today.hosts) == 6
    assert today.sentence.startswith("2 more hosts: ")
    assert today.hosts[0].host == "perf1"


def test_the_page_without_a_verdict_says_what_to_do_and_shows_no_numbers(tmp_path: Path) -> None:
    found = page(write(tmp_path / "s.hscope", {"Perf": SECOND}, 240), "Connect a vCenter")
    assert found.head.line == "No verdict: too little was recorded."
    assert "record longer" in found.head.sentence
    assert (found.placements, found.run, found.raw) == ((), None, None)
    measure = next(one for one in found.head.acts if one.act == "measure")
    assert measure.why_not == "Connect a vCenter"
