"""What is said of a run when it has ended: its result, and first of all what it left changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from resources.guided_tests import load_guided_tests
from sessions.journal import ChangedObject, ChangeState, JournalEntry, Phase, TestRun
from wizards.flows.cards import Connected, card_groups, interrupted
from wizards.flows.gallery import LastRun
from wizards.flows.run_end import RunEnd, run_end
from wizards.flows.steps import SetupLines, steps_of

KNOWN = load_guided_tests()
SETTINGS = {name: (one.title, one.unit) for name, one in KNOWN.settings.items()}
DONE = (Phase("prepare", "done", 1, 2), Phase("depth 1", "done", 2, 3), Phase("restore", "done", 3, 4))
RUN = TestRun("r1", "io-sweep", "", 1_000, 4_000, True, "", "The knee is at 8", DONE)


def change(number: int, state: ChangeState, why: str = "", setting: str = "iorm.enabled") -> JournalEntry:
    of = ChangedObject("vc", "Datastore", f"datastore-{number}", f"lun-{number:02}")
    return JournalEntry(str(number), "r1", of, setting, False, True, "vsphere", state, 1, 2, why)


def end(run: TestRun, *changes: JournalEntry) -> RunEnd:
    return run_end(run, "I/O sweep", changes, SETTINGS)


def test_a_run_that_put_everything_back_is_done() -> None:
    said = end(RUN, change(1, "undone"), change(2, "not needed"))
    assert (said.state, said.open, said.still) == ("ok", 0, 0)
    assert said.text == "I/O sweep has ended: The knee is at 8. What it changed is put back, 2 of 2."
    assert end(RUN).text.endswith("8. Nothing was changed.")


def test_changes_that_are_not_put_back_are_named_and_critical() -> None:
    said = end(RUN, change(1, "undone"), change(2, "failed", "esx03 does not answer."), change(3, "applied"))
    assert (said.state, said.open, said.still) == ("critical", 2, 2)
    assert said.text == (
        "I/O sweep has ended: The knee is at 8. 2 of 3 changes are not put back: "
        "Storage I/O Control of lun-03, lun-02."
    )


def test_what_somebody_else_changed_is_named_as_left() -> None:
    left = end(RUN, change(1, "undone"), change(2, "left", "By jonas."))
    assert (left.state, left.open, left.still) == ("warning", 0, 1)
    assert left.text.endswith(
        "1 of 2 changes is left as somebody else set it: Storage I/O Control of lun-02."
    )
    both = end(RUN, change(1, "failed", setting="folder"), change(2, "left"))
    assert both.state == "critical"
    assert both.text.endswith(
        "2 of 2 changes are not put back: Storage I/O Control of lun-02; Folder in the guest of lun-01. "
        "Somebody else set Storage I/O Control of lun-02: that is left alone."
    )


def test_many_changes_are_shortened() -> None:
    many = [change(number, "failed") for number in range(1, 9)]
    assert end(RUN, *many).text.endswith("Storage I/O Control of lun-08, lun-07, lun-06 and 5 more.")
    kinds = [change(n, "failed", setting=name) for n, name in enumerate(("a", "b", "c", "d", "e"), 1)]
    assert end(RUN, *kinds).text.endswith("e of lun-05; d of lun-04; c of lun-03; and 2 more.")


STOPPED = (DONE[0], replace(DONE[1], state="failed"), DONE[2])


@pytest.mark.parametrize(
    ("run", "state", "words"),
    [
        (
            replace(RUN, verdict="", valid=False, why="A guard ended the test: full.", phases=STOPPED),
            "warning",
            "ended before there was a verdict: A guard ended the test: full.",
        ),
        (
            replace(RUN, why="The test was stopped by hand.", phases=STOPPED),
            "warning",
            "ended early: The test was stopped by hand. The knee is at 8.",
        ),
        (
            replace(RUN, verdict="No verdict: the datastore was never full", valid=False, why="It was idle."),
            "info",
            "has ended: No verdict: the datastore was never full.",
        ),
        (replace(RUN, verdict="", valid=False, why="None"), "info", "has ended without a verdict: None."),
        (replace(RUN, verdict="", phases=STOPPED), "warning", "there was a verdict: it was interrupted."),
    ],
)  # fmt: skip
def test_only_a_run_with_a_verdict_is_green(run: TestRun, state: str, words: str) -> None:
    said = end(run, change(1, "undone"))
    assert said.state == state
    assert f"I/O sweep {words} " in said.text or f"{words} " in said.text


def test_hostile_names_are_shown_as_text() -> None:
    evil = replace(change(1, "failed"), object=ChangedObject("vc", "Datastore", "d", "a\n\u202eb"))
    assert "\n" not in end(RUN, evil).text
    assert "\u202e" not in end(RUN, evil).text


def last_of(*changes: JournalEntry) -> LastRun:
    groups = card_groups(KNOWN, Connected("lab", "The lab"), [RUN], journal=changes)
    found = next(one for group in groups for one in group.cards if one.id == "io-sweep").last
    assert found is not None
    return found


def test_the_card_of_a_test_says_what_its_last_run_left() -> None:
    assert last_of(change(1, "undone")).outcome == "good"
    left = last_of(change(1, "undone"), change(2, "failed"))
    assert (left.outcome, left.text) == ("bad", "1 of 2 changes is not put back; The knee is at 8")
    assert last_of(change(1, "left")).outcome == "doubtful"
    other = replace(change(3, "failed"), run="another")
    assert last_of(other).outcome == "good"


def test_the_steps_tick_no_run_that_left_changes() -> None:
    steps = steps_of("result", SetupLines(), RUN, [change(1, "failed")])
    assert [one.state for one in steps] == ["blocked", "current"]
    assert steps[1].lines[0].startswith("1 of 1 change is not put back")
    assert steps_of("result", SetupLines(), RUN, [change(1, "left")])[0].state == "done"


def test_the_steps_tick_no_run_that_a_guard_stopped() -> None:
    stopped = replace(RUN, verdict="", valid=False, why="A guard ended the test: full.", phases=STOPPED)
    assert steps_of("result", SetupLines(), stopped, [])[0].state == "blocked"
    assert steps_of("result", SetupLines(), RUN, [])[0].state == "done"


def test_a_run_that_ended_is_not_called_interrupted() -> None:
    found = interrupted(KNOWN, [RUN], [change(1, "undone"), change(2, "failed")], "", lambda at: f"<{at}>")
    assert found is not None
    assert found.title == "I/O sweep has ended, and left changes behind"
    assert found.text == "<4000>, 1 of 2 changes is not put back."
    assert found.has_ended
    assert not found.can_resume, "it was measured to its end"
    stopped = interrupted(KNOWN, [replace(RUN, phases=STOPPED)], [change(2, "failed")], "", str)
    assert stopped is not None
    assert stopped.can_resume
    assert interrupted(KNOWN, [RUN], [change(1, "left")], "", str) is None, "nothing can be put back"
