"""Notes that say what has changed since: whoever shows steps alone finds them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from resources.problem_cards import load_problems
from tests.widgets.findings import finding
from viewmodels.finding_labels import late_notes

NOTES = [note for card in load_problems().cards for rule in card.rules for note in rule.notes]


@pytest.mark.parametrize("note", [one for one in NOTES if "final(" in one])
def test_a_cards_note_of_what_holds_in_the_end_is_one(note: str) -> None:
    assert late_notes(replace(finding("a"), notes=(note,))) == [note]


def test_other_notes_are_none() -> None:
    others = tuple(one for one in NOTES if "final(" not in one)
    assert others
    assert late_notes(replace(finding("a"), notes=others)) == []
