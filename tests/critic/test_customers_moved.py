"""What moved with it, in sessions as customers send them; the truth was written down before asking."""

from __future__ import annotations

import numpy as np
import pytest

from diagnosis.correlation import Correlation, Question, correlate
from diagnosis.correlation.meeting import NOTHING
from diagnosis.correlation.movement import moves_in
from diagnosis.correlation.ranking import Ranked
from diagnosis.correlation.tables import Table
from diagnosis.correlation.wording import because, movement, part_words, pattern_words
from resources.correlation_roles import load_correlation
from sessions.clock import clock_named
from sessions.model import Entity, EntityRef, FloatArray, SeriesSpec, SourceSpec
from tests.diagnosis.recordings import START, Level, Recording, during, session
from tests.sessions.memory_session import MemorySession
from viewmodels.correlation_question import reference_named
from viewmodels.correlation_rows import correlation_view

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
    disk = site.add("vdisk", "scsi0:0", {"vdisk.latency_read": values}, parent=site.vm("DATEV-SQL", {}))
    series = next(one for one in session(site).series() if one.entity == disk)
    view = correlation_view(correlate(session(site), Question(series)), BERLIN)
    weekday = f"{BERLIN(START + 3 * DAY * 1000):%A}"
    (rhythm,) = view.patterns
    assert rhythm.startswith(f"vdisk.latency_read of DATEV-SQL: every {weekday} at ")
    assert " for 4 h, since " in rhythm


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


def test_a_host_in_maintenance_sends_its_vms_to_another_one() -> None:
    """They work as before, but here: by a vCenter's numbers none of them rose."""
    site = Recording("nbg-a", seconds=3600, interval=20, source="vcenter")
    other = site.another_host("nbg-c", {})
    waits = noisy(during(2400, 3600, 30.0, 0.4), 1)
    site.on_host({"cpu.pcpu_util": noisy(during(2400, 3600, 98.0, 45.0), 2, 0.02)})
    site.vm("SAP ERP Prod (P01)", {"cpu.used": noisy(50.0, 3), "cpu.ready": waits})
    came = site.namesake("BW-Analytics", 1, {"cpu.used": noisy(90.0, 4), "cpu.ready": waits})
    site.stays(came, (0, other), (2400, site.host))
    site.event(came, "vmotion", "Migrating BW-Analytics off host nbg-c", 2380, 20)
    stayed = site.namesake("CI-Runner", 2, {"cpu.used": noisy(90.0, 5)})
    site.stays(stayed, (0, other))
    left = site.namesake("mon-01", 3, {"cpu.used": noisy(90.0, 6)})
    site.stays(left, (0, site.host), (2400, other))
    found = asked(session(site), "SAP ERP Prod (P01)", "cpu.ready")
    first = found.groups[0]
    assert (found.name(first.entity), first.part) == ("BW-Analytics", "culprit")
    assert because(first.lead).startswith("came at that time: it was not here before, rose")
    assert "CI-Runner" not in parts(found)
    assert parts(found).get("mon-01") != "culprit"


def test_a_leak_that_took_hours_is_behind_the_balloon_of_another_vm() -> None:
    site = Recording("10.12.4.21", seconds=8 * 3600, interval=60)
    leak = np.clip(4000 + site.seconds, 0, 30_000)
    balloon = np.clip((leak - 23_000) * 0.6, 0, None)
    site.on_host({"mem.free": np.clip(28_000 - leak + 4000, 1500, None), "mem.balloon": balloon})
    site.vm("EXCH-MBX02", {"mem.balloon": balloon, "mem.touched": noisy(9000.0, 1)})
    site.vm("jboss-node3", {"mem.touched": noisy(lambda _: leak, 2, 0.03)})
    site.vm("wsus", {"mem.touched": noisy(9000.0, 3, 0.05)})
    found = asked(session(site), "EXCH-MBX02", "mem.balloon")
    assert {name: part for name, part in parts(found).items() if part == "culprit"} == {
        "jboss-node3": "culprit"
    }


def test_who_was_busy_before_and_stopped_in_the_middle_is_not_blamed_beside_who_fits() -> None:
    """The file server is busy from 15 to 25 min, etl from 20 to 30: so long is their LUN slow."""
    site = Recording("esx-prod-3", seconds=3600)
    slow = noisy(during(1200, 1795, 22.0, 1.5), 1)
    server, etl = during(900, 1495, 2000.0, 30.0), during(1200, 1795, 1500.0, 10.0)
    both = noisy(lambda t: server(t) + etl(t) + 300, 9)  # type: ignore[operator]
    site.shared("naa.a", {"disk.device_latency": noisy(slow, 10), "disk.commands": both})
    for number, (name, load) in enumerate((("sql-a", 300.0), ("fileserver (alt)", server), ("etl", etl))):
        ref = site.vm(name, {})
        wait = noisy(slow, 20 + number)
        site.has(ref, {"disk.commands": noisy(load, 30 + number), "disk.guest_latency": wait}, "naa.a")
    found = asked(session(site), "sql-a", "disk.guest_latency")
    assert found.name(found.groups[0].entity) == "etl"
    assert (parts(found)["etl"], parts(found)["fileserver (alt)"]) == ("culprit", "victim")


def test_of_vms_whose_hosts_nobody_tells_none_is_elsewhere() -> None:
    """Get-Stat without Get-VM: two VMs and their numbers, and not where they run."""
    made = MemorySession()
    sql, backup = EntityRef("vm", "vm-101"), EntityRef("vm", "vm-102")
    at = np.arange(288)
    night = (at >= 200) & (at < 220)
    noise = np.random.default_rng(1).normal(1, 0.1, (2, 288))
    values = np.column_stack([np.where(night, 24, 3) * noise[0], np.where(night, 1800, 20) * noise[1]])
    counters = [SeriesSpec(sql, "vdisk.latency_read", "ms"), SeriesSpec(backup, "vdisk.reads", "/s")]
    vms = [Entity(sql, "DATEV-SQL"), Entity(backup, "Veeam-Full")]
    made.add_source(SourceSpec("vcenter", "csv", 300.0), START + 300_000 * at, counters, values, entities=vms)
    first = asked(made, "DATEV-SQL", "vdisk.latency_read").groups[0]
    assert part_words(first) == "moved, place not known"
    assert because(first.lead).endswith("where it runs is not told")
