"""Which events the timeline shows: some logs and kinds can be hidden, and shown again."""

from __future__ import annotations

from sessions.model import Event
from viewmodels.event_filter import EventFilter, event_choices

EVENTS = [
    Event(1, "storage", "latency", log="vmkernel.log"),
    Event(2, "storage", "lost", log="vobd.log"),
    Event(3, "vmotion", "db01 moved"),
    Event(4, "storage", "again", log="vmkernel.log"),
]


def texts(events: object) -> list[str]:
    return [event.text for event in events]  # type: ignore[attr-defined]


def test_all_are_shown_at_first() -> None:
    assert EventFilter().passing(EVENTS) is EVENTS


def test_a_log_or_a_kind_is_hidden_and_shown_again() -> None:
    found = {one.text: one for one in event_choices(EVENTS, EventFilter())}
    assert list(found) == [
        "Events of vmkernel.log (2)",
        "Events of vobd.log (1)",
        "Events of no log (1)",
        "Storage events (3)",
        "vMotion events (1)",
    ]
    without_log = EventFilter().toggled(found["Events of vmkernel.log (2)"])
    assert texts(without_log.passing(EVENTS)) == ["lost", "db01 moved"]
    both = without_log.toggled(found["vMotion events (1)"])
    assert texts(both.passing(EVENTS)) == ["lost"]
    shown = {one.text: one.is_shown for one in event_choices(EVENTS, both)}
    assert (shown["Events of vmkernel.log (2)"], shown["Events of vobd.log (1)"]) == (False, True)
    again = both.toggled(found["vMotion events (1)"]).toggled(found["Events of vmkernel.log (2)"])
    assert again == EventFilter()


def test_what_is_of_one_kind_offers_no_choice_and_names_are_safe() -> None:
    assert event_choices(EVENTS[:1], EventFilter()) == []
    [log, *_] = event_choices([Event(1, "storage", "x", log="a\x1b[2Jb"), *EVENTS[:1]], EventFilter())
    assert log.text.isprintable()
