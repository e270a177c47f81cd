"""The language of the scope bar: what a text means, and that what the bar shows can be typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from resources.catalogue import load_catalogue
from resources.foreign_text import visible
from resources.problem_cards import load_problems
from resources.views import load_limits
from sessions.model import Entity, EntityRef, Fact, Kind, SeriesSpec, SourceSpec
from sessions.scope import Scope
from sessions.store import SessionWriter
from sessions.times import TimeRange
from tests.viewmodels.sessions import add_source, reading
from viewmodels.scope_language import (
    FORMS,
    Form,
    Misunderstood,
    NameIndex,
    Surroundings,
    Understood,
    completions,
    exact_text,
    understand,
)
from viewmodels.scope_language.names import Names
from viewmodels.snapshot import ChangingRecords, EntityIndex, SeriesIndex, Snapshot
from viewmodels.time_labels import UTC_CLOCK, Clock

CATALOGUE, LIMITS = load_catalogue(), load_limits(load_problems())
BERLIN = Clock(ZoneInfo("Europe/Berlin"), "Europe/Berlin")


def at(text: str) -> int:
    """A UTC time in ms."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


SPAN = TimeRange(at("2026-11-20 22:00"), at("2026-11-22 06:00"))
ESX1, ESX3 = EntityRef("host", "esx01.lab"), EntityRef("host", "esx03.lab")
DB, WEB1, WEB3, WEB4 = (EntityRef("vm", name) for name in ("db-prod", "web01", "web03", "web04"))
SQL, STORE = EntityRef("vm", "sql"), EntityRef("datastore", "ds01")
VCPU2, OTHER_VCPU = EntityRef("vcpu", "db-prod/2"), EntityRef("vcpu", "web03/2")
NIC = EntityRef("nic", "esx03.lab/vmnic0")
ENTITIES = [
    Entity(ESX1, "esx01.lab"),
    Entity(ESX3, "esx03.lab"),
    *(Entity(ref, ref.key, ESX3) for ref in (DB, WEB3, WEB4)),
    Entity(WEB1, "web01", ESX1),
    Entity(SQL, "SQL05 (billing)", ESX1),
    Entity(STORE, "ds01"),
    Entity(VCPU2, "vCPU 2", DB),
    Entity(OTHER_VCPU, "vCPU 2", WEB3),
    Entity(NIC, "esx03.lab/vmnic0", ESX3),
]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """A session from one evening over a whole day to the next morning, of two hosts and five VMs."""
    path: Path = tmp_path_factory.mktemp("language") / "s.hscope"
    with SessionWriter.create(path) as writer:
        writer.add_entities(ENTITIES)
        writer.add_facts([Fact(DB, "host", "esx03.lab", SPAN.start)])
        specs = [SeriesSpec(ref, "cpu.ready", "%") for ref in (DB, WEB1, WEB3, WEB4, SQL)]
        specs += [SeriesSpec(STORE, "nfs.latency", "ms")]
        every = (SPAN.end - SPAN.start) // 1000 / 3
        add_source(
            writer,
            SourceSpec("vcenter", "vc.lab", 20),
            specs,
            np.ones((4, 6)),
            every_s=every,
            start=SPAN.start,
        )
        add_source(
            writer, SourceSpec("esxtop", "esx03.lab", 5), [], np.ones((1, 0)), every_s=5, start=SPAN.start
        )
    with reading(path) as (_reader, found):
        yield found


def around(snapshot: Snapshot, present: Scope | None = None, clock: Clock = UTC_CLOCK) -> Surroundings:
    return Surroundings(snapshot, present or Scope(), clock, CATALOGUE, LIMITS)


def meant(
    text: str, snapshot: Snapshot, present: Scope | None = None, clock: Clock = UTC_CLOCK
) -> Understood:
    """What a text means; it must be understood."""
    found = understand(text, around(snapshot, present, clock))
    assert isinstance(found, Understood), found
    return found


def refused(text: str, snapshot: Snapshot) -> Misunderstood:
    """Why a text is not understood."""
    found = understand(text, around(snapshot))
    assert isinstance(found, Misunderstood), found
    return found


@pytest.mark.parametrize(
    ("text", "refs"),
    [
        ("db-prod", [DB]),
        ("DB-PROD", [DB]),
        ("web03, web04", [WEB3, WEB4]),
        ("web03 web04", [WEB3, WEB4]),
        ("sql05", [SQL]),
        ("SQL05 (billing)", [SQL]),
        ('"SQL05 (billing)" db-prod', [SQL, DB]),
        ("VM:web*", [WEB1, WEB3, WEB4]),
        ("vm:web0?", [WEB1, WEB3, WEB4]),
        ("web*", [WEB1, WEB3, WEB4]),
        ("VM:web* on esx03", [WEB3, WEB4]),
        ("host:esx0?", [ESX1, ESX3]),
        ("hosts", [ESX1, ESX3]),
        ("esx03", [ESX3]),
        ("vmnic0", [NIC]),
        ("LUNs", None),
        ("vCPU 2", [VCPU2, OTHER_VCPU]),
        ("esx03.lab › db-prod › vCPU 2", [VCPU2]),
        ("db-prod > vCPU 2", [VCPU2]),
        ("web03 › vCPU 2, esx01", [OTHER_VCPU, ESX1]),
        ("id:vm/sql", [SQL]),
        ("all", []),
        ("everything", []),
    ],
)
def test_names(text: str, refs: list[EntityRef] | None, snapshot: Snapshot) -> None:
    if refs is None:
        assert refused(text, snapshot).sentence == "This session has no devices."
    else:
        assert list(meant(text, snapshot, Scope((STORE,))).scope.entities) == refs


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("02:40–02:55", "2026-11-21 02:40", "2026-11-21 02:55"),
        ("02:40-02:55", "2026-11-21 02:40", "2026-11-21 02:55"),
        ("02:40 to 02:55", "2026-11-21 02:40", "2026-11-21 02:55"),
        ("2:40 – 2:55:30", "2026-11-21 02:40", "2026-11-21 02:55:30"),
        ("23:30–00:30", "2026-11-20 23:30", "2026-11-21 00:30"),
        ("2026-11-22 02:40–02:55", "2026-11-22 02:40", "2026-11-22 02:55"),
        ("22 Nov 02:40 – 02:55 UTC", "2026-11-22 02:40", "2026-11-22 02:55"),
        ("2026-11-21 23:00 – 2026-11-22 01:00", "2026-11-21 23:00", "2026-11-22 01:00"),
        ("2026-11-21T02:40:00+01:00–02:55Z", "2026-11-21 01:40", "2026-11-21 02:55"),
        ("2026-11-21", "2026-11-21 00:00", "2026-11-21 23:59:59.999"),
        ("-15m", "2026-11-22 05:45", "2026-11-22 06:00"),
        ("-1h30m", "2026-11-22 04:30", "2026-11-22 06:00"),
        ("last 1h", "2026-11-22 05:00", "2026-11-22 06:00"),
        ("last 2 hours", "2026-11-22 04:00", "2026-11-22 06:00"),
        ("last hour", "2026-11-22 05:00", "2026-11-22 06:00"),
    ],
)
def test_times(text: str, start: str, end: str, snapshot: Snapshot) -> None:
    present = Scope((DB,), TimeRange(at("2026-11-21 01:00"), at("2026-11-21 02:00")))
    found = meant(text, snapshot, present).scope
    assert found.window == TimeRange(at(start), at(end))
    assert found.entities == (DB,), "what is not named stays"
    assert found.follow == text.startswith(("-", "last"))


def test_a_time_without_a_date_is_the_one_nearest_to_what_is_shown(snapshot: Snapshot) -> None:
    for shown, moment in (
        (TimeRange(at("2026-11-21 00:00"), at("2026-11-21 01:00")), "2026-11-21 02:50"),
        (TimeRange(at("2026-11-22 04:00"), at("2026-11-22 05:00")), "2026-11-22 02:50"),
    ):
        found = meant("02:50", snapshot, Scope((), shown))
        assert found.moment == at(moment)
        assert found.scope.window is not None
        assert found.scope.window.contains(at(moment)), "a moment is brought into view"
        assert found.scope.window.seconds == shown.seconds
    inside = TimeRange(at("2026-11-21 02:00"), at("2026-11-21 03:00"))
    assert meant("02:50", snapshot, Scope((), inside)).scope.window == inside


def test_times_are_those_of_the_clock_that_is_shown(snapshot: Snapshot) -> None:
    assert meant("2026-11-21 02:50", snapshot, clock=BERLIN).moment == at("2026-11-21 01:50")
    assert meant("2026-11-21T02:50Z", snapshot, clock=BERLIN).moment == at("2026-11-21 02:50")
    assert meant("2026-11-21 02:50", snapshot, clock=BERLIN).meaning == (
        "everything · 21 Nov 02:50:00 CET pinned"
    )


def test_a_counter_of_an_entity_is_charted(snapshot: Snapshot) -> None:
    for text in ("ready web03", "%RDY web03", "CPU ready web03", "web03 cpu.ready"):
        found = meant(text, snapshot)
        assert [(one.entity, one.counter) for one in found.series] == [(WEB3, "cpu.ready")]
        assert found.scope.entities == (WEB3,)
    assert [one.entity for one in meant("latency ds01", snapshot).series] == [STORE]
    assert [one.entity for one in meant("ready web03, web04", snapshot).series] == [WEB3, WEB4]
    assert [one.entity for one in meant("ready", snapshot, Scope((SQL,))).series] == [SQL]


def test_forms_combine_and_say_what_was_understood(snapshot: Snapshot) -> None:
    found = meant("VM:web* ready -15m", snapshot)
    assert found.scope.entities == (WEB1, WEB3, WEB4)
    assert found.scope.follow
    assert len(found.series) == 3
    assert found.meaning == "3 VMs · the newest 15m · CPU ready"
    present = Scope((), TimeRange(at("2026-11-21 01:00"), at("2026-11-21 02:00")))
    assert meant("web03, web04 02:40–02:55 ready", snapshot, present).meaning == (
        "2 VMs · 21 Nov 02:40 – 02:55 UTC · CPU ready"
    )
    assert meant("db-prod › vCPU 2", snapshot).meaning == "esx03.lab › db-prod › vCPU 2 · whole session"
    assert meant("source:esx03.lab", snapshot, Scope((DB,))).scope == Scope((DB,), sources=frozenset({2}))
    assert meant("source:*", snapshot, Scope((DB,), sources=frozenset({2}))).scope == Scope((DB,))


@pytest.mark.parametrize(
    ("text", "sentence", "nearest"),
    [
        ("webb03", "“webb03” is no name, time or counter of this session. Do you mean web03?", '"web03"'),
        ("VM:db", "No VM is called “db”. Do you mean db-prod?", 'VM:"db-prod"'),
        ("web0", "3 VMs have “web0” in their names: web01, web03, web04 …", "VM:*web0*"),
        ("25:00", "“25:00” is no time of day: hours go to 23, minutes to 59.", ""),
        ("2026-13-01", "“2026-13-01” is no date of the calendar.", ""),
        (
            "2026-12-01 10:00",
            "2026-12-01 10:00 is not in this session: it holds 20 Nov 22:00 – 22 Nov 06:00 UTC.",
            "",
        ),
        ("2026-11-21 10:00 – 2026-11-21 09:00", None, ""),
        ("02:40 02:50", "That names two times. Type one moment, or a window like 02:40–02:55.", ""),
        ("VM:web* on ds01", "None of the 3 VMs is on 1 datastore in this time.", ""),
        ("latency db-prod", "esx03.lab › db-prod has no counter called “latency”.", ""),
        ("latency", "This session has no counter called “latency”.", ""),
        ("source:x", "No source is called “x”; there are vc.lab, esx03.lab.", ""),
        ("", "Type a name, a time or a counter: db-prod, 02:40–02:55, ready web03.", ""),
        ('"02:50"', "Nothing here is called “02:50”.", ""),
        ("esx03.lab › nonsense › vCPU 2", "Nothing here is called “nonsense”.", ""),
        ("› web03", "A path needs a name on both sides of its ›.", ""),
    ],
)
def test_what_is_not_understood_gets_one_sentence(
    text: str, sentence: str | None, nearest: str, snapshot: Snapshot
) -> None:
    found = refused(text, snapshot)
    assert found.sentence == (sentence or f"“{text}” ends before it begins. Put the earlier time first.")
    assert found.nearest == nearest
    if nearest:
        assert isinstance(understand(nearest, around(snapshot)), Understood)


def test_the_nearest_text_keeps_what_was_understood(snapshot: Snapshot) -> None:
    assert refused("ready webb03 -15m", snapshot).nearest == 'ready "web03" -15m'
    assert refused("ready web0 02:40–02:55", snapshot).nearest == "ready VM:*web0* 02:40–02:55"


def test_a_session_without_samples_has_no_times(snapshot: Snapshot) -> None:
    empty = replace(snapshot, span=None)
    assert refused("02:50", empty).sentence == "This session has no samples yet, so it has no times."
    assert meant("web03", empty).scope.entities == (WEB3,)


def test_completions_name_vms_first_and_can_be_typed(snapshot: Snapshot) -> None:
    found = completions("ready w", around(snapshot))
    assert [one.title for one in found][:3] == ["web01", "web03", "web04"]
    assert [meant(one.text, snapshot).scope.entities for one in found[:3]] == [(WEB1,), (WEB3,), (WEB4,)]
    assert all(meant(one.text, snapshot).series for one in found[:3])
    assert [one.title for one in completions("vcpu", around(snapshot))][:2] == ["vCPU 2", "vCPU 2"]
    assert "CPU ready (%RDY)" in [one.title for one in completions("rea", around(snapshot))]
    assert [one.title for one in completions("", around(snapshot))] == [form.example for form in FORMS]


def named(snapshot: Snapshot, names: list[str]) -> Snapshot:
    """The session with VMs of these names besides its own entities."""
    more = [Entity(EntityRef("vm", f"hostile{number}"), name, ESX1) for number, name in enumerate(names)]
    return replace(snapshot, entity_index=EntityIndex({one.ref: one for one in (*ENTITIES, *more)}))


HOSTILE = [
    "host:*", "-15m", "02:50", "02:40–02:55", "all", "hosts", "VM:db*", "ready", 'a "quoted" name', "“curly”",
    "a › b", "a > b", "web03, web04", "\u202eevil", "on", "last 1h", "", "   ", "web03", "WEB03", "id:vm/sql",
    "source:*", "whole session", "2026-11-21", "*", "?", '"', '""', "\u200f", "a\nb", "x" * 400,
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_every_hostile_name_can_be_chosen(number: int, snapshot: Snapshot) -> None:
    hostile = named(snapshot, HOSTILE)
    scope = Scope((EntityRef("vm", f"hostile{number}"),))
    assert meant(exact_text(scope, around(hostile)), hostile).scope == scope


NAMES = st.lists(st.text(max_size=12) | st.sampled_from(HOSTILE), min_size=1, max_size=5)
INSTANTS = st.integers(SPAN.start - 86_400_000, SPAN.end + 86_400_000)


@given(
    data=st.data(),
    names=NAMES,
    first=INSTANTS,
    second=INSTANTS,
    clock=st.sampled_from([UTC_CLOCK, BERLIN]),
    sources=st.sets(st.sampled_from([1, 2])),
)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_typing_what_the_bar_shows_gives_the_same_scope(
    data: st.DataObject,
    snapshot: Snapshot,
    names: list[str],
    first: int,
    second: int,
    clock: Clock,
    sources: set[int],
) -> None:
    session = named(snapshot, names)
    refs = data.draw(st.lists(st.sampled_from(list(session.entities)), max_size=4, unique=True))
    window = data.draw(st.sampled_from([None, TimeRange(min(first, second), max(first, second) + 1)]))
    if window is not None and window.intersect(SPAN) is None:
        window = None
    scope = Scope(tuple(refs), window, frozenset(sources))
    text = exact_text(scope, around(session, clock=clock))
    assert meant(text, session, scope, clock).scope == scope, text
    assert visible(text) == text


@given(st.integers(1, 10**9))
@settings(deadline=None)
def test_a_scope_that_follows_is_typed_by_its_length(length: int) -> None:
    present = TimeRange(SPAN.end - length, SPAN.end)
    bare = Snapshot(
        Path("s"), "s", SPAN, (), EntityIndex({}), SeriesIndex(()), ChangingRecords(), (), (), 0, {}
    )
    scope = Scope((), present, follow=True)
    assert meant(exact_text(scope, around(bare)), bare).scope == scope


def test_an_hour_that_comes_twice_is_typed_with_its_zone() -> None:
    twice = at("2026-10-25 00:30")
    for start in (twice, twice + 3_600_000):
        scope = Scope((), TimeRange(start, start + 60_000))
        span = TimeRange(twice - 86_400_000, twice + 86_400_000)
        bare = Snapshot(
            Path("s"), "s", span, (), EntityIndex({}), SeriesIndex(()), ChangingRecords(), (), (), 0, {}
        )
        assert meant(exact_text(scope, around(bare, clock=BERLIN)), bare, clock=BERLIN).scope == scope


@given(text=st.text(max_size=60) | st.lists(st.sampled_from(HOSTILE), max_size=4).map(" ".join))
@example(text="0:00–٣:00")
@example(text="02:40 +99")
@example(text="\xad")
@example(text="31 Feb 10:00")
@example(text="0001-01-01")
@example(text="9999-12-31")
@example(text="1 jan 1 – 31 dec 9999")
@example(text="last " + "9" * 400 + "d")
@example(text="›" * 50)
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_understood_or_refused_in_one_printable_sentence(snapshot: Snapshot, text: str) -> None:
    found = understand(text, around(snapshot))
    said = found.sentence if isinstance(found, Misunderstood) else found.meaning
    assert said
    assert visible(said) == said
    for one in completions(text, around(snapshot)):
        assert visible(one.title) == one.title


def test_a_window_to_the_end_of_the_calendar_is_the_session_from_its_start(snapshot: Snapshot) -> None:
    window = meant("2026-11-21 10:00 – 9999-12-31 23:00", snapshot).scope.window
    assert window is not None
    assert window.start == at("2026-11-21 10:00")
    assert window.end > SPAN.end


@given(name=st.text("aAb", max_size=8), pattern=st.text("aB?*", max_size=8))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_pattern_means_what_its_signs_say(snapshot: Snapshot, name: str, pattern: str) -> None:
    assume(name.strip() and "*" in pattern)
    form = "".join({"*": ".*", "?": "."}.get(one, one) for one in pattern)
    found = named(snapshot, [name])
    names = [ref.key for ref in Names(found, None).matching(pattern, "vm")]
    assert ("hostile0" in names) is (re.fullmatch(form, name, re.IGNORECASE) is not None)


def test_a_pattern_of_many_stars_takes_no_time(snapshot: Snapshot) -> None:
    """It would take years if each star were tried with each length."""
    bombed = named(snapshot, ["a" * 290])
    assert Names(bombed, None).matching("*a" * 60 + "*b") == []
    assert len(Names(bombed, None).matching("*a" * 60 + "*")) == 1


def test_a_text_of_many_words_is_looked_up_a_few_times(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a session of 35,000 VMs each look at all names takes a tenth of a second."""
    looks: list[int] = []
    real = Names.containing

    def counting(self: Names, words: Sequence[str], kind: Kind | None = None) -> list[EntityRef]:
        looks.append(len(words))
        return real(self, words, kind)

    monkeypatch.setattr(Names, "containing", counting)
    refused("zz " * 600, snapshot)
    assert 0 < len(looks) <= 12


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.form)
def test_every_form_of_the_table_is_understood(form: Form, snapshot: Snapshot) -> None:
    """Each example, in a session that has what it names."""
    more = [
        Entity(EntityRef("vm", "5012-aa"), "02:50", ESX3),
        *(Entity(EntityRef("vm", f"more{number}"), f"dbx{number}", ESX3) for number in range(2)),
    ]
    entities = {one.ref: one for one in (*ENTITIES, *more)}
    sources = tuple(
        replace(one, spec=replace(one.spec, name="esx01.lab")) if one.id == 2 else one
        for one in snapshot.sources
    )
    session = replace(snapshot, entity_index=EntityIndex(entities), sources=sources)
    assert isinstance(understand(form.example, around(session)), Understood), form.example


@pytest.mark.parametrize(
    "text", ["VMs on esx*", "web", "esx03.lab › db-prod › vCPU 2", "id:vm/sql", "VM:*b* on esx01"]
)
def test_an_index_of_names_is_made_once_and_used_for_all_that_is_typed(snapshot: Snapshot, text: str) -> None:
    index = NameIndex.of(snapshot).built()
    again = replace(around(snapshot), index=index)
    assert again.names.index is index
    assert understand(text, again) == understand(text, around(snapshot))
    assert completions(text, again) == completions(text, around(snapshot))
    grown = replace(snapshot, bytes=snapshot.bytes + 1)
    assert replace(again, snapshot=grown).names.index is index


def test_an_index_of_other_names_or_placements_is_not_used(snapshot: Snapshot) -> None:
    """A VM has moved, or another came while somebody typed."""
    index = NameIndex.of(snapshot).built()
    bombed = named(snapshot, ["newcomer"])
    assert isinstance(understand("newcomer", replace(around(bombed), index=index)), Understood)
    moved = replace(snapshot, records=replace(snapshot.records, relations=dict(snapshot.records.relations)))
    assert replace(around(moved), index=index).names.index is not index
