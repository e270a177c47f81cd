"""How far two sources disagree on the same counter of an entity, and which VMs were joined by a guess."""

from __future__ import annotations

import numpy as np
import pytest

from sessions.model import Entity, EntityRef, Fact, SeriesSpec, SourceSpec
from tests.sessions.memory_session import MemorySession
from viewmodels.joined_sources import disagreements, guessed_names, sentence, short_sentence

VM = EntityRef("vm", "502a-1")


def session(factor: float = 1.0, late_s: int = 0, told: tuple[str, ...] = ()) -> MemorySession:
    """Ready of a VM: esxtop's every 5 s, a vCenter's every 20 s, which is the mean times ``factor``."""
    made = MemorySession()
    spec = SeriesSpec(VM, "cpu.ready", "%")
    fine = np.arange(5, 605, 5) * 1000
    values = 10 + 5 * np.sin(fine / 60_000)
    coarse = np.arange(20, 601, 20) * 1000
    means = values.reshape(-1, 4).mean(axis=1) * factor
    facts = [Fact(VM, "joined_by", how, number) for number, how in enumerate(told)]
    made.add_source(
        SourceSpec("esxtop", "esx01", 5.0), fine, [spec], values[:, None], entities=[Entity(VM, "SQL01")],
        facts=facts,
    )  # fmt: skip
    made.add_source(SourceSpec("vcenter", "vc01", 20.0), coarse + late_s * 1000, [spec], means[:, None])
    return made


def differing(made: MemorySession) -> float:
    (one,) = disagreements(made, made.series())
    assert (one.finer, one.coarser) == (1, 2)
    return one.relative


def test_the_finer_source_is_averaged_over_the_intervals_of_the_coarser() -> None:
    assert differing(session()) == pytest.approx(0.0, abs=1e-12)


def test_a_tenth_more_is_a_tenth() -> None:
    assert differing(session(factor=1.25)) == pytest.approx(0.2), "a fifth of the coarser one's"


def test_a_clock_that_is_off_is_seen_as_a_difference() -> None:
    assert differing(session(late_s=10)) > 0.02


def test_without_a_time_in_common_nothing_is_said() -> None:
    assert disagreements(session(late_s=3600), session(late_s=3600).series()) == []


def test_it_is_told_in_a_sentence() -> None:
    made = session(factor=1.25)
    (one,) = disagreements(made, made.series())
    assert sentence(one, "SQL01", {1: "esxtop esx01", 2: "vcenter vc01"}) == (
        "SQL01 cpu.ready: esxtop esx01 10.9 %, vcenter vc01 13.6 %: 2.73 points apart, samples of 5 s "
        "against 20 s; they differ by 20.0 % on average (30 values compared)"
    )


def test_what_averages_hide_is_told() -> None:
    made = MemorySession()
    spec = SeriesSpec(VM, "cpu.ready", "%")
    fine = np.arange(5, 605, 5) * 1000
    values = np.full(fine.size, 2.0)
    values[41] = 38.0  # one sample of five seconds
    made.add_source(
        SourceSpec("esxtop", "esx01", 5.0), fine, [spec], values[:, None], entities=[Entity(VM, "SQL01")]
    )
    means = values.reshape(-1, 4).mean(axis=1)
    made.add_source(SourceSpec("vcenter", "vc01", 20.0), fine[3::4], [spec], means[:, None])
    (one,) = disagreements(made, made.series())
    assert one.peak == (38.0, 11.0)
    assert short_sentence(one, {1: "esxtop", 2: "vCenter"}) == (
        "vCenter 2.30 %, esxtop 2.30 % at the same times: 0.0 % apart (30 intervals of 20 s); "
        "averages of 20 s hide 38 % for 5 s where they say 11 %"
    )


def test_a_guess_is_named_until_something_surer_is_known() -> None:
    guess, sure = "its name alone: a guess", "the ids of its worlds"
    assert guessed_names(session(told=(guess,))) == ["SQL01"]
    assert guessed_names(session(told=(guess, sure))) == []
    assert guessed_names(session()) == []
