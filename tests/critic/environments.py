"""Environments with a known truth: noise as in life, one thing (or two, or nothing) that happened, and what
is right.

Written by a critic before he had seen how the product answers; ``answers`` says what each answer asks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from sessions.model import Event
from tests.critic.answers import Ask, Comparison, Culprits, Fix, NoCulprit, Report, Row
from tests.critic.site import MINUTE, T0, Site, Vm, wander

LATENCY = ("--entity", "SQL01", "--counter", "vdisk.latency_read")
BLAME = r"\b(makes? the load|culprit|caused by|drives|led by|started it)\b"


@dataclass(frozen=True)
class Environment:
    """Sessions, and what is asked of them."""

    a: Path
    asks: tuple[Ask, ...]
    b: Path | None = None


def _sql(site: Site, **more: float) -> Vm:
    wants = {"cpu": 35.0, "iops": 180.0, "vcpus": 4} | more
    return site.add("SQL01", site.hosts[0], site.luns[0], **wants)  # type: ignore[arg-type]


def _backup(site: Site, name: str = "VEEAM-PROXY01", host: int = 1, memory: float = 0.7) -> Vm:
    return site.add(name, site.hosts[host], site.luns[0], iops=15, cpu=15, kb=64, reads=0.95, memory=memory)


def _busy(site: Site, vm: Vm, iops: float, begin: float, end: float) -> None:
    """It works in these minutes, not quite steadily."""
    part = site.between(begin, end)
    vm.iops[part] += iops * np.exp(0.12 * wander(site.rng, vm.iops[part].size, 0.6))
    vm.cpu[part] = np.minimum(vm.cpu[part] + 25, 100)


def backup_on_another_host(folder: Path) -> Environment:
    site = Site(11, minutes=360)
    _sql(site)
    _busy(site, _backup(site), 900, 200, 215)
    path = site.write(folder / "a.hscope")
    secrets = ("SQL01", "VEEAM", "corp.example", "esx01", "esx02", site.luns[0], "app01", "night.csv")
    return Environment(
        path,
        (
            Culprits(LATENCY, ("VEEAM-PROXY01",), "SQL01", says=("VEEAM-PROXY01", r"esx02")),
            Culprits(
                (*LATENCY, "--from", site.text(198), "--to", site.text(217)), ("VEEAM-PROXY01",), "SQL01"
            ),
            Report((), says=("SQL01", r"naa\.6006016"), secrets=secrets),
        ),
    )


def returning_backup(folder: Path) -> Environment:
    site = Site(12, minutes=360)
    _sql(site)
    job = _backup(site, "LOGSHIP02", 2)
    for begin in range(7, 350, 30):
        _busy(site, job, 850, begin, begin + 3)
    path = site.write(folder / "a.hscope")
    words = (*LATENCY, "--from", site.text(0), "--to", site.text(359))
    often = (r"every (29|30|31)(\.\d)? min",)
    return Environment(
        path,
        (Culprits(words, ("LOGSHIP02",), "SQL01", says=often), Culprits(LATENCY, ("LOGSHIP02",), "SQL01")),
    )


def ramp_instead_of_step(folder: Path) -> Environment:
    site = Site(13, minutes=300)
    _sql(site)
    job = _backup(site, "REINDEX03", 2)
    part = site.between(100, 220)
    job.iops[part] += np.linspace(0, 900, job.iops[part].size) * np.exp(
        0.1 * wander(site.rng, job.iops[part].size, 0.8)
    )
    job.iops[part.stop :] += 900
    path = site.write(folder / "a.hscope")
    words = (*LATENCY, "--from", site.text(150), "--to", site.text(250))
    return Environment(
        path, (Culprits(words, ("REINDEX03",), "SQL01"), Culprits(LATENCY, ("REINDEX03",), "SQL01"))
    )


def two_culprits_at_once(folder: Path) -> Environment:
    site = Site(14, minutes=300)
    _sql(site)
    _busy(site, _backup(site, "BACKUP-A", 1), 480, 180, 200)
    _busy(site, _backup(site, "ETL-B", 2), 440, 180.5, 201)
    path = site.write(folder / "a.hscope")
    return Environment(path, (Culprits(LATENCY, ("BACKUP-A", "ETL-B"), "SQL01", within=3),))


def array_rebuild(folder: Path) -> Environment:
    """The third: the LUN itself becomes slow, and everybody gets less done."""
    site = Site(15, minutes=300)
    _sql(site)
    _backup(site)
    part = site.between(160, 185)
    site.base[site.luns[0]][part] = 12.0
    site.capacity[site.luns[0]] *= 3
    for vm in site.vms:
        if vm.lun == site.luns[0]:
            vm.iops[part] *= 0.75
    path = site.write(folder / "a.hscope")
    return Environment(path, (NoCulprit(LATENCY, "SQL01", first=(site.luns[0],)),))


def own_load(folder: Path) -> Environment:
    site = Site(16, minutes=300)
    sql = _sql(site, kb=32)
    _backup(site)
    _busy(site, sql, 1700, 170, 190)
    path = site.write(folder / "a.hscope")
    return Environment(path, (NoCulprit(LATENCY, "SQL01", first=("SQL01",), says=(r"SQL01.*(itself|own)",)),))


def thousands_that_wander(folder: Path) -> Environment:
    site = Site(17, minutes=240, vms=18)
    _sql(site)
    _busy(site, _backup(site, "AVSCAN", 1), 620, 150, 160)
    rng = site.rng
    extra = [np.abs(50 + 20 * wander(rng, site.ticks, float(rng.uniform(0.9, 0.995)))) for _ in range(3000)]
    path = site.write(folder / "a.hscope", extra=extra)
    return Environment(path, (Culprits(LATENCY, ("AVSCAN",), "SQL01"),))


def clock_ahead(folder: Path) -> Environment:
    site = Site(18, minutes=300)
    _sql(site)
    _busy(site, _backup(site), 900, 200, 218)
    site.ahead[site.hosts[1]] = 40_000
    path = site.write(folder / "a.hscope")
    return Environment(path, (Culprits(LATENCY, ("VEEAM-PROXY01",), "SQL01"),))


def processor_neighbour(folder: Path) -> Environment:
    site = Site(19, minutes=240, vms=18)
    _sql(site)
    hog = site.add("RENDER07", site.hosts[0], site.luns[1], cpu=8, vcpus=16)
    hog.cpu[site.between(130, 155)] = 97.0
    path = site.write(folder / "a.hscope")
    words = ("--entity", "SQL01", "--counter", "cpu.ready")
    return Environment(path, (Culprits(words, ("RENDER07",), "SQL01"),))


def coarse_beside_fine(folder: Path) -> Environment:
    site = Site(20, minutes=120, step=5, vms=15)
    site.every[site.hosts[0]] = 4
    site.missing = {site.hosts[0]: 0.05, site.hosts[1]: 0.08, site.hosts[2]: 0.02}
    _sql(site)
    _busy(site, _backup(site), 900, 80, 86)
    path = site.write(folder / "a.hscope")
    return Environment(path, (Culprits(LATENCY, ("VEEAM-PROXY01",), "SQL01"),))


def flooded_uplink(folder: Path) -> Environment:
    site = Site(21, minutes=240, vms=18)
    _sql(site)
    noisy = site.add("MIRROR-SYNC", site.hosts[0], site.luns[1], mbits=15)
    noisy.mbits[site.between(140, 152)] += 1050
    path = site.write(folder / "a.hscope")
    words = ("--entity", "SQL01", "--counter", "net.drops_tx")
    return Environment(path, (Culprits(words, ("MIRROR-SYNC",), "SQL01"),))


def two_of_a_name(folder: Path) -> Environment:
    site = Site(22, minutes=240, vms=18)
    _sql(site)
    site.add("web01", site.hosts[2], site.luns[0])
    _busy(site, site.add("web01", site.hosts[1], site.luns[0], kb=64), 850, 150, 165)
    path = site.write(folder / "a.hscope")
    return Environment(
        path, (Culprits(LATENCY, ("web01",), "SQL01", says=(r"web01[^\n]*esx02|esx02[^\n]*web01",)),)
    )


def moved_here(folder: Path) -> Environment:
    """A VM with much to do came by vMotion; since then everybody here waits."""
    site = Site(23, minutes=240, vms=18)
    site.add("MAIL01", site.hosts[2], site.luns[0], cpu=40, vcpus=4)
    before = site.add("CI-RUNNER", site.hosts[1], site.luns[1], vcpus=16)
    after = site.add("CI-RUNNER", site.hosts[2], site.luns[1], vcpus=16)
    before.cpu[:] = after.cpu[:] = 93 + 3 * wander(site.rng, site.ticks, 0.8)
    gone = site.between(120, 240)
    before.here[gone] = 0
    after.here[: gone.start] = 0
    text = f"vMotion of CI-RUNNER from {site.hosts[1]} to {site.hosts[2]}"
    site.events.append(Event(site.at(119.5), "vmotion", text, after.ref, site.at(120)))
    path = site.write(folder / "a.hscope")
    words = ("--entity", "MAIL01", "--counter", "cpu.ready")
    return Environment(
        path, (Culprits(words, ("CI-RUNNER",), "MAIL01", within=2, says=(r"(?i)vmotion|moved|migrat",)),)
    )


def two_equal_days(folder: Path) -> Environment:
    site = Site(31, minutes=2880, step=60, vms=18)
    _sql(site)
    path = site.write(folder / "a.hscope")
    words = ("--a", site.window(60, 480), "--b", site.window(1500, 1920))
    return Environment(path, (Comparison(words, same_load=(True,), most_different=0.01),))


def load_doubled(folder: Path) -> Environment:
    site = Site(32, minutes=300)
    _sql(site)
    part = site.between(150, 300)
    for vm in site.vms:
        vm.iops[part] *= 2
        vm.cpu[part] = np.minimum(vm.cpu[part] * 2, 98)
    path = site.write(folder / "a.hscope")
    rows = (
        Row("SQL01", "vdisk.commands", ("higher",), (1.75, 2.6)),  # the day's rhythm adds a fifth
        Row("SQL01", "cpu.used", ("higher",), (1.6, 2.4)),
        Row("SQL01", "vdisk.latency_read", ("higher",), (1.1, 3.0)),
    )
    words = ("--a", site.window(5, 145), "--b", site.window(155, 295))
    return Environment(path, (Comparison(words, rows, (False,), says=(r"(?i)load",)),))


def faster_array(folder: Path) -> Environment:
    site = Site(33, minutes=300, day=0.0)
    _sql(site)
    site.base[site.luns[0]][:] = 3.0
    site.base[site.luns[0]][site.between(150, 300)] = 2.0
    path = site.write(folder / "a.hscope")
    rows = (
        Row("SQL01", "vdisk.latency_read", ("lower",), (0.45, 0.72)),
        Row("SQL01", "vdisk.commands", ("same", "undecided"), (0.8, 1.25)),
        Row("SQL01", "cpu.used", ("same", "undecided"), (0.8, 1.25)),
    )
    words = ("--a", site.window(5, 145), "--b", site.window(155, 295))
    return Environment(
        path,
        (
            Comparison(words, rows, (True,)),
            Report(("--before", words[1], "--after", words[3]), says=(r"Before against after: \d+ better",)),
        ),
    )


def between_two_sessions(folder: Path) -> Environment:
    """A day between; a VM was renamed, one moved, one is new, one is gone, and two bear the same name."""
    sites = []
    for number, seed in enumerate((34, 35)):
        site = Site(seed, minutes=180, vms=12, begin=T0 + (8 + 24 * number) * 60 * MINUTE)
        site.rng = np.random.default_rng(340 + number)
        for vm in site.vms:
            vm.gid = 1000 + 7 * site.vms.index(vm)
        again = Site(34, minutes=180, vms=12, begin=site.begin)  # the same VMs: what each wants on average
        for vm, like in zip(site.vms, again.vms, strict=True):
            mean = (like.cpu.mean(), like.iops.mean(), like.mbits.mean())
            for name, level in zip(("cpu", "iops", "mbits"), mean, strict=True):
                want = getattr(vm, name)
                setattr(vm, name, want * level / want.mean())
            vm.vcpus = like.vcpus
        site.luns = again.luns
        for vm, like in zip(site.vms, again.vms, strict=True):
            vm.lun = like.lun
        site.base = {lun: np.full(site.ticks, 2.0) for lun in site.luns}
        site.capacity = dict.fromkeys(site.luns, 6000.0)
        named = (
            (("crm-old", "crm-new")[number], 0, 5001, 30.0),
            ("web01", 0, 5002, 20.0),
            ("web01", 1, 5003, 70.0),
        )
        moved = ("wanderer", (0, 2)[number], (5004, 6100)[number], 40.0)
        single = (("gone07", "new05")[number], 1, (5005, 6200)[number], 25.0)
        for name, host, gid, cpu in (*named, moved, single):
            vm = site.add(name, site.hosts[host], site.luns[0], cpu=cpu, memory=0.7)
            vm.gid = gid
        sites.append(site)
    a = sites[0].write(folder / "a.hscope")
    b = sites[1].write(folder / "b.hscope")
    rows = (
        Row("crm-new", "cpu.used", ("same", "undecided"), (0.8, 1.25)),
        Row("wanderer", "cpu.used", ("same", "undecided"), (0.8, 1.25)),
        Row("web01", "cpu.used", ("same", "undecided"), (0.75, 1.33)),
    )
    says = (
        r"(?is)crm-old[^\n]*crm-new|renamed", r"(?i)moved[^\n]*wanderer|wanderer[^\n]*(moved|esx03)",
        r"(?i)new05", r"(?i)gone07",
    )  # fmt: skip
    never = (
        r"(?i)(crm-new|wanderer|web01) only in b",
        r"(?i)(crm-old|wanderer|web01) only in a",
    )
    return Environment(
        a, (Comparison((), rows, most_different=0.02, says=says, never_says=never, b=True),), b
    )


def holes_and_two_intervals(folder: Path) -> Environment:
    """The same day before and after, but recorded otherwise: 20 s and whole, 5 s with holes and a restart."""
    first = Site(36, minutes=180, vms=12, day=0.0)
    second = Site(36, minutes=180, vms=12, step=5, day=0.0, begin=T0 + 32 * 60 * MINUTE)
    for one, other in zip(first.vms, second.vms, strict=True):
        # another draw of the same wants, with the memory that the slower sampling would have seen
        for name in ("cpu", "iops", "mbits"):
            level = getattr(one, name).mean()
            noise = np.exp(0.25 * wander(second.rng, second.ticks, 0.95) - 0.03)
            setattr(other, name, np.minimum(level * noise / noise.mean(), 99.0 if name == "cpu" else 1e6))
            steady = np.exp(0.25 * wander(first.rng, first.ticks, 0.8) - 0.03)
            setattr(one, name, np.minimum(level * steady / steady.mean(), 99.0 if name == "cpu" else 1e6))
        other.vcpus = one.vcpus
    second.missing = dict.fromkeys(second.hosts, 0.15)
    second.down = {second.hosts[1]: (second.at(60), second.at(72))}
    a = first.write(folder / "a.hscope")
    b = second.write(folder / "b.hscope")
    exact = (("app01", "vdisk.latency_read"), ("app02", "cpu.ready"))
    return Environment(a, (Comparison((), (), (True, None), 0.02, b=True, exact=exact),), b)


def three_samples(folder: Path) -> Environment:
    site = Site(38, minutes=120, vms=12)
    _sql(site)
    path = site.write(folder / "a.hscope")
    words = ("--a", site.window(5, 60), "--b", site.window(100, 100.9))
    row = Row("SQL01", "vdisk.latency_read", ("undecided",))
    return Environment(path, (Comparison(words, (row,), (None,), 0.0),))


def clocks_go_back(folder: Path) -> Environment:
    """Berlin, 25 October 2026: work begins at 8 by the clock on the wall, an hour later by UTC."""
    begin = int(datetime(2026, 10, 24, tzinfo=UTC).timestamp() * 1000)
    site = Site(39, minutes=2880, step=60, vms=12, begin=begin, day=0.0)
    _sql(site)
    hour = (site.times - begin) / 3_600_000
    work = ((hour >= 6) & (hour < 16)) | ((hour >= 31) & (hour < 41))
    for vm in site.vms:
        vm.iops *= np.where(work, 2.0, 0.5)
        vm.cpu = np.minimum(vm.cpu * np.where(work, 1.5, 0.4), 99)
    path = site.write(folder / "a.hscope")
    words = ("--times", "Europe/Berlin", "--b", "2026-10-25T07:30..2026-10-25T08:30", "--a", "day-before")
    rows = (Row("SQL01", "vdisk.commands", ("same", "undecided"), (0.75, 1.33)),)
    return Environment(path, (Comparison(words, rows, (True, None), 0.02),))


def _checked(entity: str, site: Site, begin: float, end: float, symptom: str = "slow") -> tuple[str, ...]:
    return ("--entity", entity, "--since", site.text(begin), "--until", site.text(end), "--symptom", symptom)


def limit_lifted(folder: Path) -> Environment:
    site = Site(51, minutes=240, vms=15)
    sql = _sql(site, cpu=62.0)
    site.limited(sql, 35, 60, 120)
    site.events.append(Event(site.at(120), "reconfigure", "Reconfigure SQL01: CPU limit unlimited", sql.ref))
    path = site.write(folder / "a.hscope")
    after = ("--after", site.window(125, 235), "--changed", "the CPU limit of SQL01 is gone")
    fix = Fix(_checked("SQL01", site, 60, 118), after, ("fixed",), "high", says=(r"(?i)limit", r"\d %"))
    return Environment(
        path, (fix, Report((), says=(r"(?i)fixed", "SQL01"), secrets=("SQL01", "corp.example")))
    )


def one_of_two(folder: Path) -> Environment:
    """The limit was lifted; the neighbour on the LUN goes on."""
    site = Site(52, minutes=240, vms=15)
    sql = _sql(site, cpu=62.0)
    site.limited(sql, 35, 60, 120)
    _busy(site, _backup(site), 1300, 60, 240)
    path = site.write(folder / "a.hscope")
    after = ("--after", site.window(125, 235), "--changed", "the CPU limit of SQL01 is gone")
    fix = Fix(
        _checked("SQL01", site, 60, 118), after, ("better",), says=(r"(?i)(disk|storage|device|latency|LUN)",)
    )
    never = (r"(?i)all (is|are) (well|fixed)|nothing is left",)
    return Environment(
        path, (fix, Report((), says=(r"(?i)\bbetter\b", "No, it was still so"), never_says=never))
    )


def moved_to_a_neighbour(folder: Path) -> Environment:
    """The hog was moved away; now MAIL01 on the other host waits."""
    site = Site(53, minutes=240, vms=15)
    _sql(site)
    site.add("MAIL01", site.hosts[1], site.luns[1], cpu=45, vcpus=4)
    here = site.add("RENDER07", site.hosts[0], site.luns[1], vcpus=16)
    there = site.add("RENDER07", site.hosts[1], site.luns[1], vcpus=16)
    here.cpu[:] = there.cpu[:] = 96 + wander(site.rng, site.ticks, 0.8)
    gone = site.between(120, 240)
    here.here[gone] = 0
    here.here[: site.between(50, 60).start] = 0
    there.here[: gone.start] = 0
    site.events.append(Event(site.at(119), "vmotion", "vMotion of RENDER07", there.ref, site.at(120)))
    path = site.write(folder / "a.hscope")
    after = ("--after", site.window(125, 235), "--changed", "RENDER07 moved to esx02")
    fix = Fix(
        _checked("SQL01", site, 60, 118),
        after,
        ("fixed", "better"),
        says=(r"^Fixed[^.]*worse elsewhere: esx02", r"MAIL01|esx02[^\n]*(satur|busy|wait|full|new)"),
    )
    return Environment(path, (fix,))


def only_the_load_fell(folder: Path) -> Environment:
    """Nothing was repaired: people went home."""
    site = Site(54, minutes=240, vms=15, day=0.0)
    _sql(site)
    part = site.between(60, 120)
    for vm in site.vms:
        if vm.lun == site.luns[0]:
            vm.iops[part] *= 5.2
    for vm in site.vms:
        vm.iops[site.between(120, 240)] *= 0.3
    path = site.write(folder / "a.hscope")
    after = ("--after", site.window(130, 235), "--changed", "a new firmware of the array")
    fix = Fix(
        _checked("SQL01", site, 62, 118), after,
        ("better", "unchanged", "undecided", "unknown", "fixed"), "low",
        says=(r"(?i)load",),
    )  # fmt: skip
    words = ("--a", site.window(62, 118), "--b", site.window(130, 235))
    rows = (Row("SQL01", "vdisk.commands", ("lower",)), Row("SQL01", "vdisk.latency_read", ("lower",)))
    return Environment(path, (fix, Comparison(words, rows, (False,), says=(r"(?i)load",))))


def nothing_changed(folder: Path) -> Environment:
    site = Site(55, minutes=240, vms=15)
    _sql(site)
    _busy(site, _backup(site), 1300, 60, 240)
    path = site.write(folder / "a.hscope")
    after = ("--after", site.window(130, 235), "--changed", "the queue depth of the HBA")
    return Environment(path, (Fix(_checked("SQL01", site, 62, 118), after, ("unchanged",)),))


def worse_after(folder: Path) -> Environment:
    site = Site(56, minutes=240, vms=15)
    _sql(site)
    site.base[site.luns[0]][site.between(60, 120)] = 12.0
    site.base[site.luns[0]][site.between(120, 240)] = 26.0
    site.capacity[site.luns[0]] *= 12
    path = site.write(folder / "a.hscope")
    after = ("--after", site.window(130, 235), "--changed", "a new path policy")
    return Environment(path, (Fix(_checked("SQL01", site, 62, 118), after, ("worse",), says=(r"\d ms",)),))


def watched_too_short(folder: Path) -> Environment:
    """It comes every 30 minutes; ten minutes of quiet prove nothing."""
    site = Site(57, minutes=300, vms=15)
    _sql(site)
    job = _backup(site, "LOGSHIP02", 2)
    for begin in range(20, 300, 30):
        _busy(site, job, 960, begin, begin + 5)
    path = site.write(folder / "a.hscope")
    after = ("--after", site.window(237, 248), "--changed", "LOGSHIP02 was told to be gentle")
    verdicts = ("fixed", "better", "unchanged", "undecided", "unknown")
    fix = Fix(
        _checked("SQL01", site, 15, 230),
        after,
        verdicts,
        "low",
        says=(r"(?i)every (29|30|31)|too short|longer",),
    )
    return Environment(path, (fix,))


def blind_after(folder: Path) -> Environment:
    """After the change the host of the VM was hardly recorded."""
    site = Site(58, minutes=240, vms=15)
    sql = _sql(site, cpu=62.0)
    site.limited(sql, 35, 60, 120)
    site.down = {site.hosts[0]: (site.at(122), site.at(233))}
    path = site.write(folder / "a.hscope")
    after = ("--after", site.window(122, 235), "--changed", "the CPU limit of SQL01 is gone")
    verdicts = ("fixed", "better", "undecided", "unknown")
    fix = Fix(
        _checked("SQL01", site, 60, 118),
        after,
        verdicts,
        "low",
        says=(r"(?i)sample|missing|recorded|gap|data",),
    )
    return Environment(path, (fix,))


ENVIRONMENTS: tuple[Callable[[Path], Environment], ...] = (
    backup_on_another_host, returning_backup, ramp_instead_of_step, two_culprits_at_once, array_rebuild,
    own_load, thousands_that_wander, clock_ahead, processor_neighbour, coarse_beside_fine, flooded_uplink,
    two_of_a_name, moved_here, two_equal_days, load_doubled, faster_array, between_two_sessions,
    holes_and_two_intervals, three_samples, clocks_go_back, limit_lifted, one_of_two, moved_to_a_neighbour,
    only_the_load_fell, nothing_changed, worse_after, watched_too_short, blind_after,
)  # fmt: skip
