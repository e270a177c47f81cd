"""Marks are changed and taken away, also while a reader looks; whatever stands beside them stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.failures import BusyError
from sessions.model import Event, Mark
from sessions.store import SessionReader, SessionWriter, check_session
from tests.sessions.synthetic import HOST, T0, capture

MARKS = [Mark(T0, "one"), Mark(T0, "two"), Mark(T0 + 5, "one")]


def session(path: Path) -> Path:
    capture(ticks=3).write(path)
    with SessionWriter.open(path) as writer:
        writer.add_events([Event(T0, "vmotion", "one", HOST)])
        for mark in MARKS:
            writer.add_mark(mark)
    return path


def marks(path: Path) -> list[Mark]:
    with SessionReader.open(path) as reader:
        assert [event.text for event in reader.events()] == ["one"]
        return list(reader.marks())


def test_one_is_changed_another_taken_away(tmp_path: Path) -> None:
    path = session(tmp_path / "s.hscope")
    new = replace(MARKS[1], text="<b>deux</b> \u202e")
    with SessionReader.open(path) as reader, SessionWriter.open(path) as writer:
        assert writer.change_mark(MARKS[1], new)
        assert writer.change_mark(MARKS[0], None)
        assert reader.marks() == [new, MARKS[2]]
    assert marks(path) == [new, MARKS[2]]
    assert check_session(path, thorough=True) == []


def test_what_is_not_there_is_not_changed(tmp_path: Path) -> None:
    path = session(tmp_path / "s.hscope")
    with SessionWriter.open(path) as writer:
        assert not writer.change_mark(Mark(T0 + 1, "one"), None)
        assert not writer.change_mark(Mark(T0, "One"), Mark(T0, "other"))
        assert writer.is_usable
    assert marks(path) == MARKS


def test_of_equal_marks_one_goes(tmp_path: Path) -> None:
    path = session(tmp_path / "s.hscope")
    with SessionWriter.open(path) as writer:
        writer.add_mark(MARKS[0])
        assert writer.change_mark(MARKS[0], None)
    assert sorted(marks(path), key=lambda mark: (mark.at, mark.text)) == MARKS


def test_one_that_can_not_be_stored_changes_nothing(tmp_path: Path) -> None:
    path = session(tmp_path / "s.hscope")
    with SessionWriter.open(path) as writer:
        with pytest.raises(ValueError, match="no calendar"):
            writer.change_mark(MARKS[0], Mark(1 << 60, "late"))
        assert writer.is_usable
    assert marks(path) == MARKS


def test_what_no_encoding_has_is_stored_as_a_replacement(tmp_path: Path) -> None:
    """As of a file name, or a note in a terminal's old encoding, whose bytes are not UTF-8: it was a bug."""
    path = session(tmp_path / "s.hscope")
    with SessionWriter.open(path) as writer:
        writer.add_mark(Mark(T0 + 9, "see \udcff.log, Löhne"))
    assert marks(path)[-1] == Mark(T0 + 9, "see \ufffd.log, Löhne")


def test_who_does_not_write_changes_nothing(tmp_path: Path) -> None:
    path = session(tmp_path / "s.hscope")
    with SessionWriter.open(path), pytest.raises(BusyError):
        SessionWriter.open(path)
    assert marks(path) == MARKS


MARK = st.builds(Mark, st.integers(0, 3), st.sampled_from(["", "a", "b"]))
STEP = st.tuples(st.sampled_from(["add", "remove", "change"]), MARK, MARK)


@settings(max_examples=20, deadline=None)
@given(steps=st.lists(STEP, max_size=12))
def test_it_holds_what_a_list_would(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, Mark, Mark]]
) -> None:
    path = tmp_path_factory.mktemp("marks") / "s.hscope"
    model: list[Mark] = []
    with SessionWriter.create(path, durable=False) as writer:
        for do, one, other in steps:
            if do == "add":
                writer.add_mark(one)
                model.append(one)
                continue
            new = other if do == "change" else None
            assert writer.change_mark(one, new) == (one in model)
            if one in model:
                at = model.index(one)
                model[at : at + 1] = [new] if new else []
    with SessionReader.open(path) as reader:
        assert list(reader.marks()) == sorted(model, key=lambda mark: mark.at)
