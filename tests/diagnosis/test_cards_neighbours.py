"""A neighbour on the same LUN, beside a load of one's own that wanders as loads do."""

from __future__ import annotations

import numpy as np
import pytest

from sessions.model import FloatArray
from tests.diagnosis.recordings import Recording, findings
from tests.diagnosis.test_cards_storage import host, lun

SPELL_S, EVERY_S = 80.0, 240.0


def in_spells(seconds: FloatArray, then: float, otherwise: float) -> FloatArray:
    result: FloatArray = np.where(seconds % EVERY_S >= EVERY_S - SPELL_S, then, otherwise)
    return result


def wandering(seconds: FloatArray) -> FloatArray:
    """A load of 600 a second whose quietest minute, between two spells, has a third less."""
    at = seconds % 960.0
    result: FloatArray = np.where((at > 240.0) & (at < 340.0), 400.0, 600.0)
    return result


def two_hosts(own_in_spells: float = 1.0) -> tuple[Recording, Recording]:
    victim, noisy = host("esx01"), host("esx03")
    for one, commands in (
        (victim, lambda t: wandering(t) * in_spells(t, own_in_spells, 1.0)),
        (noisy, lambda t: in_spells(t, 8_000.0, 300.0)),
    ):
        lun(one, commands=commands, device_latency=lambda t: in_spells(t, 21.0, 1.2))
    return victim, noisy


def test_a_quiet_minute_of_its_own_hides_no_neighbour() -> None:
    found = {one.problem: one for one in findings(*two_hosts())}
    neighbour = found["storage.noisy_neighbour"]
    assert neighbour.consequence_of is None
    assert neighbour.causes[0].cause == "noisy_neighbour"
    assert found["storage.device_latency"].consequence_of == (neighbour.problem, neighbour.entity)


def test_a_host_that_sends_more_itself_is_no_victim() -> None:
    assert not findings(*two_hosts(own_in_spells=1.6), problem="storage.noisy_neighbour")


QUIET_S, HOURS_S = 1_800.0, 3 * 3_600.0


def drifting(seconds: FloatArray) -> FloatArray:
    """A load of some 200 a second that for minutes is a third higher, now and then, as loads are."""
    result: FloatArray = np.where(seconds % 1_500.0 < 400.0, 270.0, 200.0)
    return result


def test_a_neighbour_over_hours_is_one_finding_against_the_good_time() -> None:
    """The victim's own load leaves its band now and then; the trouble does not end with that."""
    victim, noisy = (Recording(name, seconds=HOURS_S, interval=20.0) for name in ("esx01", "esx03"))
    for one, commands in (
        (victim, drifting),
        (noisy, lambda t: np.where(t < QUIET_S, 300.0, 4_000.0)),
    ):
        lun(one, commands=commands, device_latency=lambda t: np.where(t < QUIET_S, 1.5, 34.0))
    (found,) = findings(victim, noisy, problem="storage.noisy_neighbour")
    assert len(found.windows) == 1
    assert found.windows[0].seconds == pytest.approx(HOURS_S - QUIET_S, rel=0.01)
    assert "1.50 ms at other times" in found.conclusion
    assert "4,000 /s instead of 300 /s" in found.conclusion


@pytest.mark.parametrize(("until", "is_found"), [(600.0, False), (1_160.0, True)])
def test_a_device_as_slow_without_the_neighbour_is_not_slow_by_it(until: float, is_found: bool) -> None:
    """Slow from second 200 on; another host sends twice as much for some or nearly all of that time."""
    victim, other = host("esx01"), host("esx03")
    for one, commands in (
        (victim, 200.0),
        (other, lambda t: np.where((t >= 200.0) & (t < until), 700.0, 300.0)),
    ):
        lun(one, commands=commands, device_latency=lambda t: np.where(t < 200.0, 1.5, 18.0))
    assert bool(findings(victim, other, problem="storage.noisy_neighbour")) is is_found
