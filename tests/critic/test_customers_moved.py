"""What moved with it, in sessions as customers send them; the truth was written down before asking."""

from __future__ import annotations

import numpy as np
import pytest

from diagnosis.correlation import Correlation, Question, correlate
from diagnosis.correlation.meeting import NOTHING
from diagnosis.correlation.movement import moves_in
from diagnosis.correlation.ranking import Ranked
from diagnosis.correlation.tables import Table
from diagnosis.correlation.wording import because, movement, pattern_words
from resources.correlation_roles import load_correlation
from sessions.clock import clock_named
from sessions.model import Entity, EntityRef, FloatArray, SeriesSpec, SourceSpec
from tests.diagnosis.recordings import START, Level, Recording, during, session
from tests.sessions.memory_session import MemorySession
from viewmodels.correlation_question import reference_named

DAY = 86_400.0
BERLIN = clock_named("Europe/Berlin")


def noisy(level: Level, seed: int, spread: float = 0.1) -> Level:
    def values(t: FloatArray) -> FloatArray:
        base = level(t) if callable(level) else np.full(t.size, float(np.max(level)))
        rng = np.random.default_rng(seed)
        return np.asarray(base * (1 + spread * rng.standard_normal(t.size)), dtype=np.float64)

    return values


def asked(made: MemorySession, entity: str, counter: str) -> Correlation:
    return correlate(made, Question(reference_named(made, entity, counter)))


def parts(found: Correlation) -> dict[str, str]:
    return {found.name(group.entity): group.part for group in found.groups}


def rhythms(found: Correlation) -> list[str]:
    return [f"{found.name(one.entity)}: {pattern_words(pattern, BERLIN)}" for one, pattern in found.patterns]


def nightly(t: FloatArray) -> FloatArray:
    """90 minutes of each day."""
    return np.asarray((t % DAY >= 30_000) & (t % DAY < 35_400), dtype=np.float64)


def test_a_backup_on_another_host_each_night() -> None:
    """vCenter's 5 minutes, 5 nights. The scanner that runs at the same time writes to another LUN."""
    site = Recording("nbg-a", seconds=5 * DAY, interval=300, source="vcenter")
    other = site.another_host("nbg-b", {})
    site.shared("naa.a", {"disk.device_latency": noisy(lambda t: 3 + 25 * nightly(t), 1)})
    site.shared("naa.b", {"disk.device_latency": noisy(3.0, 2)})

    def vm(name: str, lun: str, load: Level, latency: Level, host: EntityRef) -> None:
        ref = site.namesake(name, name, {})
        site.fact(ref, "host", host.key)
        reads, writes = noisy(load, len(name)), noisy(lambda t: 0.02 * np.asarray(load(t)), 7)  # type: ignore[operator]
        site.has(ref, {"disk.reads": reads, "disk.writes": writes, "disk.guest_latency": latency}, lun)

    slow = noisy(lambda t: 3 + 25 * nightly(t), 3)
    vm("ORA-PROD-01", "naa.a", lambda t: 300 + 0 * t, slow, site.host)
    vm("VBR-PROXY-07", "naa.a", lambda t: 5 + 2600 * nightly(t), slow, other)
    vm("AV Mgmt", "naa.b", lambda t: 5 + 3500 * nightly(t), noisy(3.0, 5), other)
    found = asked(session(site), "ORA-PROD-01", "disk.guest_latency")
    assert found.name(found.groups[0].entity) == "VBR-PROXY-07"
    assert (parts(found)["VBR-PROXY-07"], parts(found)["AV Mgmt"]) == ("culprit", "elsewhere")
    # Of its reads and writes what makes the load is told, not which of the two rose by a hair more.
    assert found.groups[0].lead.series.counter == "disk.reads"
    assert rhythms(found)[0].startswith("ORA-PROD-01: every day at ")
    assert " for 1 h 30 min, since " in rhythms(found)[0]
    assert rhythms(found)[0].endswith("(5 times)")


def test_a_full_backup_each_sunday_in_whole_milliseconds() -> None:
    """vCenter's 2 hours of a month: most samples are 3 ms, some 2 or 4, and each Sunday two are 24."""
    site = Recording("esx", seconds=35 * DAY, interval=7200, source="vcenter")
    sunday = lambda t: np.asarray(  # noqa: E731
        (t % (7 * DAY) >= 3 * DAY) & (t % (7 * DAY) < 3 * DAY + 14_400), dtype=np.float64
    )
    rng = np.random.default_rng(13)
    values = np.rint((3 + 21 * sunday(site.seconds)) * (1 + 0.1 * rng.standard_normal(len(site))))
    site.vm("DATEV-SQL", {"vdisk.latency_read": values})
    found = asked(session(site), "DATEV-SQL", "vdisk.latency_read")
    weekday = f"{BERLIN(START + 3 * DAY * 1000):%A}"
    assert len(rhythms(found)) == 1
    assert rhythms(found)[0].startswith(f"DATEV-SQL: every {weekday} at ")
    assert " for 4 h, since " in rhythms(found)[0]


@pytest.mark.parametrize("late_s", [0, 60])
def test_samples_that_are_stamped_at_their_end_are_no_late_load(late_s: int) -> None:
    """Minutes of another host beside 20 s: a load that is told one minute later began when the wait did."""
    site = Recording(seconds=7200, interval=20)
    slow = noisy(during(6000, 7200, 30.0, 2.0), 2)
    site.shared("naa.a", {"disk.device_latency": noisy(slow, 3)})
    sql = site.vm("sql-a", {})
    site.has(sql, {"disk.commands": noisy(300.0, 4), "disk.guest_latency": noisy(slow, 5)}, "naa.a")
    made = session(site)
    far, host = EntityRef("vm", "esx02/vm/far"), EntityRef("host", "esx02")
    seconds = np.arange(0, 7200, 60)
    load = np.where(seconds >= 6000, 4000.0, 20.0) * np.random.default_rng(1).normal(1, 0.1, seconds.size)
    wait = np.where(seconds >= 6000, 30.0, 2.0) * np.random.default_rng(2).normal(1, 0.05, seconds.size)
    made.add_source(
        SourceSpec("esxtop", "esx02", 60.0),
        START + 1000 * (seconds + late_s),
        [
            SeriesSpec(far, "disk.commands", "/s", "naa.a"),
            SeriesSpec(EntityRef("device", "naa.a"), "disk.device_latency", "ms", "esx02"),
        ],
        np.column_stack([load, wait]),
        entities=[Entity(host, "esx02"), Entity(far, "far", host)],
    )
    found = asked(made, "sql-a", "disk.guest_latency")
    first = found.groups[0]
    assert (found.name(first.entity), first.part) == ("far", "culprit")
    assert "clock" not in because(first.lead)
    assert first.score > 0.8


@pytest.mark.parametrize(("before_s", "is_at_edge"), [(60, False), (300, True)])
def test_a_lag_at_the_end_of_what_was_tried_may_be_longer(before_s: int, is_at_edge: bool) -> None:
    """A file server that was busy five minutes before anybody waited did not begin two minutes before."""
    at = np.arange(720)
    slow = (at >= 480) & (at < 600)
    load = np.roll(slow, -before_s // 5)
    noise = np.random.default_rng(1).normal(0, 0.05, (2, 720))
    none = np.zeros(1, bool)
    table = Table(np.array([1]), load[None, :] + noise[:1], slow + noise[1], slow, 5000, 0, 0, none)
    (move,) = moves_in(table, load_correlation().numbers)
    assert (move.lag_s, move.is_at_edge) == (-min(before_s, 120), is_at_edge)
    site = Recording()
    site.has(site.vm("fileserver (alt)", {}), {"disk.commands": 1.0}, "naa.a")
    series = session(site).series()[0]
    words = movement(Ranked(series, move, 0.5, "load", "storage", NOTHING, 1.0, is_worse=True))
    assert words == ("rose 2 min before or more" if is_at_edge else "rose 1 min before (±5 s)")
