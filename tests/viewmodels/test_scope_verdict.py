"""The verdict on a scope: up to when, and from which sources, something of that scope was judged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from diagnosis import diagnose_session
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.scope import Scope
from sessions.store import SessionReader, SessionWriter
from sessions.times import TimeRange
from sessions.verdict_wording import verdict_sentence
from sessions.verdicts import Verdict
from tests.viewmodels.sessions import T0, add_source, reading
from viewmodels.entity_states import Judged
from viewmodels.scope_filter import scope_filter
from viewmodels.scope_verdict import verdict_in_scope
from viewmodels.snapshot import Snapshot, snapshot_of_sources

HOSTS = [EntityRef("host", name) for name in ("esx01", "esx02")]
VMS = [EntityRef("vm", name) for name in ("alive", "gone")]
ALIVE, GONE = VMS
MINUTE = 60_000
STOP = T0 + 10 * MINUTE - 5000


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SessionReader, Snapshot]]:
    """20 minutes of esx01 with one VM, and the first 10 of them of esx02 with another."""
    path: Path = tmp_path_factory.mktemp("reach") / "s.hscope"
    with SessionWriter.create(path) as writer:
        for host, vm, rows in zip(HOSTS, VMS, (240, 120), strict=True):
            writer.add_entities([Entity(host, host.key), Entity(vm, vm.key, host)])
            specs = [SeriesSpec(vm, "cpu.ready", "%"), SeriesSpec(vm, "cpu.max_limited", "%")]
            add_source(writer, SourceSpec("esxtop", host.key, 5), specs, np.zeros((rows, 2)), every_s=5)
    with reading(path) as found:
        yield found


def verdict(
    session: tuple[SessionReader, Snapshot],
    *chosen: EntityRef,
    minutes: tuple[int, int] | None = None,
    sources: tuple[int, ...] = (),
) -> Verdict:
    """The verdict on a scope; ``minutes`` is its window."""
    reader, whole = session
    found = diagnose_session(reader, load_problems(), load_catalogue())
    window = minutes and TimeRange(T0 + minutes[0] * MINUTE, T0 + minutes[1] * MINUTE)
    filtered = scope_filter(Scope(chosen, window), snapshot_of_sources(whole, sources))
    return verdict_in_scope(Judged(found.findings, found.verdict, found.reach), filtered, ())


def text(found: Verdict) -> str:
    return verdict_sentence(found, lambda t: f"{(t - T0) // 1000} s")


def test_what_has_no_samples_in_the_window_gets_no_all_clear(
    session: tuple[SessionReader, Snapshot],
) -> None:
    found = verdict(session, GONE, minutes=(12, 18))
    assert found.state == "could not be judged"
    assert "nothing in this scope has samples" in found.reason
    assert verdict(session, ALIVE, minutes=(12, 18)).is_clear
    assert verdict(session, ALIVE, GONE, minutes=(12, 18)).is_clear


def test_a_scope_is_judged_as_far_as_its_own_samples_reach(session: tuple[SessionReader, Snapshot]) -> None:
    gone, alive = verdict(session, GONE), verdict(session, ALIVE)
    assert gone.judged_to == STOP
    assert [one.name for one in gone.sources] == ["esx02"]
    assert text(gone).startswith("Judged to 595 s. ")
    assert "Judged in part: esx02: its samples stop 10 min before" in text(gone)
    assert [one.name for one in alive.sources] == ["esx01"]
    assert "esx02" not in text(alive)
    assert alive.judged_to == T0 + 20 * MINUTE - 5000


def test_sources_that_were_not_chosen_are_not_in_the_verdict(
    session: tuple[SessionReader, Snapshot],
) -> None:
    second = session[1].sources[1].id
    found = verdict(session, sources=(second,))
    assert [one.name for one in found.sources] == ["esx02"]
    assert found.judged_to == STOP
