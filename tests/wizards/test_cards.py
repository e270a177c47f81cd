"""The cards of the gallery, and the bar of a run that was interrupted."""

from __future__ import annotations

from dataclasses import replace

from resources.guided_tests import load_guided_tests
from sessions.journal import ChangedObject, JournalEntry, Phase, TestRun
from wizards.flows.cards import Connected, card_groups, interrupted
from wizards.flows.gallery import TestCard
from wizards.flows.steps import SetupLines, steps_of

PHASES = (Phase("fill", "done", 1_000, 2_000), Phase("depth 1", "planned"))
RUN = TestRun("r1", "io-sweep", "", 1_000, phases=PHASES)


def day(at: int) -> str:
    return f"<{at}>"


def test_an_interrupted_run_is_called_by_its_title() -> None:
    of = ChangedObject("vc", "VirtualMachine", "vm-1", "w1")
    left = JournalEntry("1", "r1", of, "disk:t", None, "{}", "vsphere", "applied", 1, 1_500)
    found = interrupted(load_guided_tests(), [RUN], [left], "", day)
    assert found is not None
    assert found.title == "I/O sweep was interrupted"
    assert found.text == "<1000>, phase 2 of 2. 1 change is not undone."
    assert interrupted(load_guided_tests(), [RUN], [left], "r1", day) is None, "it goes on now"


def test_a_run_that_was_interrupted_is_not_called_running() -> None:
    def card(live: str) -> TestCard:
        groups = card_groups(load_guided_tests(), Connected("lab", "The lab"), [RUN], live)
        return next(one for group in groups for one in group.cards if one.id == "io-sweep")

    assert card("r1").running
    assert card("r1").last is None
    left = card("")
    assert not left.running
    assert left.last is not None
    assert left.last.text == "was interrupted"
    goes_on = steps_of("run", SetupLines(), RUN, is_live=True)
    assert [one.state for one in goes_on] == ["current", "waiting"]
    broken = steps_of("result", SetupLines(), RUN)
    assert [one.state for one in broken] == ["blocked", "current"], "no tick at what did not end"
    assert broken[1].lines == ("was interrupted",)
    over = steps_of("result", SetupLines(), replace(RUN, end=2_000))
    assert [one.state for one in over] == ["done", "current"]


def test_a_card_says_that_filling_comes_on_top_of_its_time() -> None:
    groups = card_groups(load_guided_tests(), Connected("lab", "The lab"), [])
    cards = {one.id: one.cost for group in groups for one in group.cards}
    assert cards["io-sweep"] == "5 min 20 s and filling: about a minute in the lab"
    assert "filling" in cards["dedup-prep"], "its disks are filled unless an input says the opposite"
    assert "filling" not in cards["drs-balance"]


def test_tests_of_a_vcenter_are_set_up_in_the_window() -> None:
    groups = card_groups(load_guided_tests(), Connected("vcenter", "vc01"), [])
    cards = [one for group in groups for one in group.cards if one.level > 0]
    assert len(cards) >= 9
    for card in cards:
        assert card.readiness == "ready"
        assert card.button == "Set up…"
        assert card.here == "vc01: choose VMs, log in to them"


def test_without_a_connection_guests_can_be_named() -> None:
    groups = card_groups(load_guided_tests(), Connected(""), [])
    cards = {one.id: one for group in groups for one in group.cards}
    assert (cards["io-sweep"].readiness, cards["io-sweep"].button) == ("missing", "Set up…")
    assert "guests over ssh" in cards["io-sweep"].here
    assert cards["drs-balance"].readiness == "impossible"
