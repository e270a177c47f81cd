"""Cases with a known culprit, put on top of a recording of the lab: who loads what, and who feels it.

Each kind is written from the field's texts (noisy neighbours on a LUN, an uplink and a host's CPUs, memory
that is taken from others, bursts that come back, backup, vMotion, virus scans at one minute, a boot storm,
slow drift), before there was anything to rank them. Each case has look-alikes, too: other VMs that get busy
elsewhere at about the same time, one that began before the culprit, one on the same LUN that only reacts, and
a slow cycle that a third of all VMs share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.culprit_shapes import Shape, added, bursts, drift, hashed, later, multiplied, pulse
from benchmarks.injected_session import Change, InjectedSession
from sessions.model import EntityRef, FloatArray, IntArray, Series
from sessions.store import SessionReader
from sessions.times import TimeRange

_MINUTE = 60_000
_READS = ("disk.reads", "disk.read_mb", "vdisk.reads", "vdisk.read_mb")
_WRITES = ("disk.writes", "disk.write_mb", "vdisk.writes", "vdisk.write_mb")
_DISK_LATENCY = (
    "disk.device_latency", "disk.guest_latency",
    "disk.device_latency_read", "disk.guest_latency_read",
    "disk.device_latency_write", "disk.guest_latency_write",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """A session with a problem, the window that somebody marked, what they pointed at, and the truth.

    ``reference`` is the id of the series that is slow, ``victim`` its VM (or host), ``culprits`` are those
    that make the load: any of them is right.
    """

    kind: str
    seed: int
    session: InjectedSession
    window: TimeRange
    reference: int
    victim: EntityRef
    culprits: frozenset[EntityRef]


@dataclass
class Site:
    """What the lab's recording has: VMs, the LUNs that they use, their ports, by host."""

    series: Sequence[Series]
    parents: Mapping[EntityRef, EntityRef | None]
    of: dict[EntityRef, list[Series]] = field(default_factory=dict)
    vms: list[EntityRef] = field(default_factory=list)
    users: dict[str, list[EntityRef]] = field(default_factory=dict)

    @classmethod
    def of_session(cls, reader: SessionReader) -> Site:
        """Read the inventory of a recording."""
        site = cls(reader.series(), {ref: one.parent for ref, one in reader.entities().items()})
        for one in site.series:
            site.of.setdefault(one.entity, []).append(one)
        site.vms = sorted(ref for ref in site.of if ref.kind == "vm")
        for vm in site.vms:
            for lun in sorted({one.spec.instance for one in site.of[vm] if one.counter == "disk.commands"}):
                site.users.setdefault(lun, []).append(vm)
        return site

    def host(self, ref: EntityRef) -> str:
        """The key of the host of an entity of esxtop."""
        return ref.key.partition("/")[0]

    def luns(self, vm: EntityRef) -> list[str]:
        """The LUNs that a VM uses."""
        return [lun for lun, users in self.users.items() if vm in users]

    def below(self, vm: EntityRef, *kinds: str) -> list[EntityRef]:
        """The virtual disks, ports, worlds … of a VM."""
        return [ref for ref in self.of if ref.kind in kinds and self.parents.get(ref) == vm]

    def ids(
        self, refs: Iterable[EntityRef], counters: Sequence[str], instance: str | None = None
    ) -> list[int]:
        """The series of these counters; only those of the instance, if one is given."""
        return [
            one.id
            for ref in refs
            for one in self.of.get(ref, ())
            if one.counter in counters and (instance is None or one.spec.instance == instance)
        ]


class Scene:
    """One case in the making: what was changed of which series."""

    def __init__(self, reader: SessionReader, site: Site, rng: np.random.Generator, seed: int) -> None:
        self.reader, self.site, self.rng, self.seed = reader, site, rng, seed
        self.changes: dict[int, list[Change]] = {}
        self._noise = 0

    def add(self, ids: Iterable[int], shape: Shape, amount: float, noise: float = 0.2) -> None:
        """Add a load of ``amount`` in full strength, with noise of its own that lasts some samples."""
        for one in ids:
            self._change(one, added(shape, amount, self._grain(noise)))

    def multiply(self, ids: Iterable[int], shape: Shape, factor: float, noise: float = 0.2) -> None:
        """Multiply by ``factor`` in full strength; with noise of its own."""
        for one in ids:
            self._change(one, multiplied(shape, factor, self._grain(noise)))

    def _change(self, series: int, change: Change) -> None:
        self.changes.setdefault(series, []).append(change)

    def _grain(self, noise: float) -> Shape:
        """Noise around 1 of whole grains of 20 s and of single samples; the same whenever it is asked for."""
        self._noise += 1
        key = np.uint64(self.seed * 1_000_003 + self._noise)

        def factor(times: IntArray) -> FloatArray:
            return np.exp(
                noise * (0.7 * hashed(times // 20_000, key) + 0.7 * hashed(times // 1000, key + np.uint64(7)))
            )

        return factor

    def pick(self, some: Sequence[EntityRef]) -> EntityRef:
        """One of them."""
        return some[int(self.rng.integers(len(some)))]

    def between(self, low: float, high: float) -> float:
        """A number between two, evenly on a logarithmic scale."""
        return float(np.exp(self.rng.uniform(np.log(low), np.log(high))))

    # what one VM does

    def disk_load(
        self, vm: EntityRef, lun: str, shape: Shape, iops: float, *, reads: float, kb: float
    ) -> None:
        """I/O of a VM on a LUN, as all of esxtop's views count it; it costs the VM a little CPU."""
        rates = {"reads": iops * reads, "writes": iops * (1 - reads)}
        mb = {"read_mb": rates["reads"] * kb / 1024, "write_mb": rates["writes"] * kb / 1024}
        views = self.devices(lun) + self.paths(lun, vm)
        vdisks = self.site.below(vm, "vdisk")[:1]
        for what, amount in {"commands": iops, **rates, **mb}.items():
            self.add(self.site.ids([vm], (f"disk.{what}",), lun), shape, amount)
            self.add(self.site.ids([vm, *vdisks], (f"vdisk.{what}",)), shape, amount)
            self.add(self.on_host(views, vm, (f"disk.{what}",)), shape, amount)
        self.add(self.site.ids([vm], ("disk.active",), lun), shape, iops / 200)
        self.cpu_load(vm, shape, iops / 300, ready=False)

    def devices(self, lun: str) -> list[EntityRef]:
        """The LUN as an entity."""
        return [ref for ref in self.site.of if ref.kind == "device" and ref.key.endswith(lun)]

    def paths(self, lun: str, vm: EntityRef) -> list[EntityRef]:
        """One path of the host's and its adapter: the LUN's number decides which."""
        host = self.site.host(vm)
        paths = sorted(r for r in self.site.of if r.kind == "path" and self.site.host(r) == host)
        path = paths[sum(map(ord, lun)) % len(paths)]
        adapter = self.site.parents[path]
        return [path] if adapter is None else [path, adapter]

    def on_host(self, refs: Iterable[EntityRef], vm: EntityRef, counters: Sequence[str]) -> list[int]:
        """Their series as the VM's host counts them."""
        sources = {one.source for one in self.site.of[vm]}
        wanted = set(self.site.ids(refs, counters))
        return [one.id for one in self.site.series if one.id in wanted and one.source in sources]

    def cpu_load(self, vm: EntityRef, shape: Shape, percent: float, *, ready: bool = True) -> None:
        """CPU that a VM uses, on its vCPUs and its host."""
        busy = ("cpu.used", "cpu.run", "cpu.demand")
        self.add(self.site.ids([vm, *self.site.below(vm, "vcpu")], busy), shape, percent)
        host = EntityRef("host", self.site.host(vm))
        self.add(
            self.site.ids([host], ("cpu.pcpu_util", "cpu.pcpu_used", "cpu.core_util")), shape, percent / 12
        )
        if ready:
            self.add(self.site.ids([vm, *self.site.below(vm, "vcpu")], ("cpu.ready",)), shape, percent / 40)

    def net_load(
        self, ports: Sequence[EntityRef], nic: EntityRef, shape: Shape, mbits: float, way: str
    ) -> None:
        """Traffic of a port over an uplink."""
        self.add(self.site.ids([*ports, nic], (f"net.mbits_{way}",)), shape, mbits)
        self.add(self.site.ids([*ports, nic], (f"net.packets_{way}",)), shape, mbits * 100)

    # what the others feel

    def lun_is_slow(self, lun: str, shape: Shape, ms: float) -> None:
        """Latency of a LUN on all hosts, for everyone who uses it; a little less gets done."""
        self.add(self.site.ids(self.devices(lun), _DISK_LATENCY), shape, ms)
        for vm in self.site.users[lun]:
            self.add(self.site.ids([vm], _DISK_LATENCY, lun), shape, ms)
            part = 1 / max(1, len(self.site.luns(vm)))
            vdisks = self.site.below(vm, "vdisk")[:1]
            self.add(
                self.site.ids([vm, *vdisks], ("vdisk.latency_read", "vdisk.latency_write")), shape, ms * part
            )

    # look-alikes

    def look_alikes(self, window: TimeRange, involved: Sequence[EntityRef], lun: str | None) -> None:
        """Others that move: elsewhere, before, afterwards, and slowly together."""
        others = [vm for vm in self.site.vms if vm not in involved]
        self.rng.shuffle(others)
        length = window.end - window.start
        for number, vm in enumerate(others[: int(self.rng.integers(2, 6))]):
            luns = [one for one in self.site.luns(vm) if one != lun]
            begin = window.start + int(self.rng.uniform(-0.5, 0.8) * length)
            if number == 0:  # one that began before, elsewhere
                begin = window.start - int(self.rng.uniform(0.1, 0.5) * length)
            shape = pulse(begin, begin + int(self.rng.uniform(0.3, 1.2) * length), 20_000)
            if luns and self.rng.random() < 0.6:
                self.disk_load(vm, luns[0], shape, self.between(100, 3000), reads=0.6, kb=16)
            else:
                self.cpu_load(vm, shape, self.between(10, 60))
        reacting = [vm for vm in others if lun is not None and lun in self.site.luns(vm)]
        if reacting and lun is not None:  # it tries again what took too long
            vm = self.pick(reacting)
            late = window.start + int(self.rng.uniform(20_000, 90_000))
            self.disk_load(vm, lun, pulse(late, window.end, 10_000), self.between(20, 80), reads=0.5, kb=8)
        phase, period = self.rng.uniform(0, 6.28), self.between(6, 24) * 3_600_000
        cycle: Shape = lambda t: 0.5 + 0.5 * np.sin(t / period * 6.28 + phase)  # noqa: E731 - one line
        for vm in self.site.vms:
            if self.rng.random() < 1 / 3:
                wanted = (
                    "cpu.used",
                    "cpu.run",
                    "disk.commands",
                    "disk.reads",
                    "net.mbits_tx",
                    "vdisk.commands",
                )
                self.multiply(self.site.ids([vm], wanted), cycle, self.between(1.2, 2.0), noise=0.0)

    def case(
        self, kind: str, window: TimeRange, reference: int, victim: EntityRef, *culprits: EntityRef
    ) -> Case:
        """The finished case; the window is marked as well as somebody drags it."""
        slip = max(10_000, int(0.08 * (window.end - window.start)))
        start = window.start + int(self.rng.integers(-slip, slip // 2))
        end = window.end + int(self.rng.integers(-slip, slip))
        session = InjectedSession(self.reader, self.changes)
        return Case(kind, self.seed, session, TimeRange(start, end), reference, victim, frozenset(culprits))


# ------------------------------------------------------------------ the kinds


def _moment(scene: Scene, minutes: float) -> TimeRange:
    """A window of some minutes in the recording, with room for a baseline of four times its length."""
    span = scene.reader.span()
    assert span is not None
    length = int(minutes * _MINUTE)
    room = min(5 * length, (span.end - span.start) // 2)
    start = int(scene.rng.integers(span.start + room, span.end - length - 2 * _MINUTE))
    return TimeRange(start, start + length)


def _lun_of_several(scene: Scene) -> tuple[str, EntityRef, EntityRef]:
    """A LUN, one who loads it and another one who feels it."""
    luns = sorted(lun for lun, users in scene.site.users.items() if len(users) >= 3)
    lun = luns[int(scene.rng.integers(len(luns)))]
    culprit, victim = (
        scene.site.users[lun][i] for i in scene.rng.permutation(len(scene.site.users[lun]))[:2].tolist()
    )
    return lun, culprit, victim


def _latency_of_victim(scene: Scene, victim: EntityRef, lun: str) -> int:
    """What somebody points at: the latency of the VM on that LUN, or of its virtual disk."""
    choices = scene.site.ids([victim], ("disk.guest_latency",), lun)
    if len(scene.site.luns(victim)) == 1:
        choices += scene.site.ids([victim], ("vdisk.latency_read", "vdisk.latency_write"))
    return choices[int(scene.rng.integers(len(choices)))]


def _on_a_lun(scene: Scene, kind: str, minutes: tuple[float, float], make: Callable[[TimeRange], Shape],
              iops: tuple[float, float], reads: float, kb: float) -> Case:  # fmt: skip
    window = _moment(scene, scene.between(*minutes))
    lun, culprit, victim = _lun_of_several(scene)
    shape = make(window)
    scene.disk_load(culprit, lun, shape, scene.between(*iops), reads=reads, kb=kb)
    scene.lun_is_slow(lun, later(shape, int(scene.rng.uniform(0, 12_000))), scene.between(8, 40))
    scene.look_alikes(window, [culprit, victim], lun)
    return scene.case(kind, window, _latency_of_victim(scene, victim, lun), victim, culprit)


def noisy_neighbour(scene: Scene) -> Case:
    """One VM hammers a shared LUN: latency for all, commands by one (P31, 5.1)."""
    ramp = int(scene.rng.integers(1, 30_000))
    return _on_a_lun(
        scene,
        "noisy neighbour on a LUN",
        (4, 20),
        lambda w: pulse(w.start, w.end, ramp),
        (800, 12_000),
        0.6,
        8,
    )


def returning_bursts(scene: Scene) -> Case:
    """Bursts that come back, every few minutes for some seconds (P31: scheduled pattern)."""
    every, length = int(scene.between(120_000, 420_000)), int(scene.between(20_000, 60_000))
    return _on_a_lun(
        scene,
        "bursts that come back",
        (20, 45),
        lambda w: bursts(w.start, w.end, every, length),
        (1500, 12_000),
        0.4,
        16,
    )


def backup(scene: Scene) -> Case:
    """A backup reads a disk from end to end: few, large reads (P25: large I/O; schedule backup)."""
    return _on_a_lun(
        scene, "backup", (10, 40), lambda w: pulse(w.start, w.end, 15_000), (300, 1500), 0.98, 512
    )


def slow_drift(scene: Scene) -> Case:
    """A VM does ever more, and its LUN gets ever slower."""
    return _on_a_lun(scene, "slow drift", (30, 60), lambda w: drift(w.start, w.end), (1500, 9000), 0.5, 16)


def _by_many(scene: Scene, kind: str, minutes: tuple[float, float], make: Callable[[TimeRange], Shape],
             iops: tuple[float, float], cpu: float) -> Case:  # fmt: skip
    window = _moment(scene, scene.between(*minutes))
    lun, victim, _ = _lun_of_several(scene)
    rest = [vm for vm in scene.site.users[lun] if vm != victim]
    many = rest[: max(2, len(rest) - 1)]
    shape = make(window)
    for vm in many:
        mine = later(shape, int(scene.rng.uniform(0, 8_000)))
        scene.disk_load(vm, lun, mine, scene.between(*iops), reads=0.9, kb=24)
        scene.cpu_load(vm, mine, cpu)
    scene.lun_is_slow(lun, later(shape, 5000), scene.between(8, 40))
    scene.look_alikes(window, [victim, *many], lun)
    return scene.case(kind, window, _latency_of_victim(scene, victim, lun), victim, *many)


def virus_scan(scene: Scene) -> Case:
    """Several VMs scan at the same minute mark: CPU and reads of all at once (ready cause 8, 5.2)."""
    return _by_many(scene, "virus scan", (5, 15), lambda w: pulse(w.start, w.end, 5_000), (400, 2000), 25)


def boot_storm(scene: Scene) -> Case:
    """Desktops start together: a steep rise of reads that dies away."""

    def storm(window: TimeRange) -> Shape:
        length = window.end - window.start
        return lambda t: (
            np.where(t >= window.start, np.exp(-np.maximum(t - window.start, 0) / (0.4 * length)), 0.0)
            * (t <= window.end)
        )

    return _by_many(scene, "boot storm", (5, 12), storm, (800, 3000), 40)


def busy_cpu(scene: Scene) -> Case:
    """A VM takes the host's CPUs, others wait for them (P02, P04)."""
    window = _moment(scene, scene.between(4, 20))
    culprit = scene.pick(scene.site.vms)
    mates = [vm for vm in scene.site.vms if scene.site.host(vm) == scene.site.host(culprit) and vm != culprit]
    victim = scene.pick(mates)
    shape = pulse(window.start, window.end, int(scene.rng.integers(1, 20_000)))
    scene.cpu_load(culprit, shape, scene.between(30, 70))
    felt = later(shape, int(scene.rng.uniform(0, 6_000)))
    for vm in mates:
        waits = ("cpu.ready", "cpu.latency")
        scene.add(scene.site.ids([vm, *scene.site.below(vm, "vcpu")], waits), felt, scene.between(3, 12))
    scene.look_alikes(window, [culprit, victim, *mates], None)
    return scene.case("busy CPUs", window, scene.site.ids([victim], ("cpu.ready",))[0], victim, culprit)


def busy_uplink(scene: Scene) -> Case:
    """A VM fills an uplink; others on it drop what they send (P37, P38, P39)."""
    window = _moment(scene, scene.between(4, 20))
    culprit = scene.pick(scene.site.vms)
    host = scene.site.host(culprit)
    nic = EntityRef("nic", f"{host}/vmnic{2 + int(scene.rng.integers(2))}")
    mates = [vm for vm in scene.site.vms if scene.site.host(vm) == host and vm != culprit]
    victim = scene.pick(mates)
    shape = pulse(window.start, window.end, int(scene.rng.integers(1, 20_000)))
    scene.net_load(scene.site.below(culprit, "port"), nic, shape, scene.between(2000, 8000), "tx")
    scene.cpu_load(culprit, shape, scene.between(5, 25), ready=False)
    felt = later(shape, int(scene.rng.uniform(0, 6_000)))
    for vm in mates:
        scene.add(
            scene.site.ids(scene.site.below(vm, "port"), ("net.drops_tx",)), felt, scene.between(0.5, 6)
        )
    scene.look_alikes(window, [culprit, victim], None)
    port = scene.site.below(victim, "port")[0]
    reference = scene.site.ids([port], ("net.drops_tx",))[0]
    return scene.case("busy uplink", window, reference, port, culprit, *scene.site.below(culprit, "port"))


def vmotion(scene: Scene) -> Case:
    """A vMotion over the uplink that VMs use, too: both hosts' VMkernel ports (P38, P45)."""
    window = _moment(scene, scene.between(3, 8))
    hosts = sorted({scene.site.host(vm) for vm in scene.site.vms})
    away, there = (hosts[i] for i in scene.rng.permutation(len(hosts))[:2].tolist())
    ports = {host: _vmkernel_port(scene, host) for host in hosts}
    shape = pulse(window.start, window.end, 5_000)
    mbits = scene.between(4000, 9000)
    scene.net_load([ports[away]], EntityRef("nic", f"{away}/vmnic2"), shape, mbits, "tx")
    scene.net_load([ports[there]], EntityRef("nic", f"{there}/vmnic2"), shape, mbits, "rx")
    victim = scene.pick([vm for vm in scene.site.vms if scene.site.host(vm) == away])
    for vm in (vm for vm in scene.site.vms if scene.site.host(vm) == away):
        scene.add(
            scene.site.ids(scene.site.below(vm, "port"), ("net.drops_tx",)),
            later(shape, 4000),
            scene.between(0.5, 6),
        )
    scene.look_alikes(window, [victim], None)
    port = scene.site.below(victim, "port")[0]
    reference = scene.site.ids([port], ("net.drops_tx",))[0]
    return scene.case("vMotion on the VMs' uplink", window, reference, port, *ports.values())


def _vmkernel_port(scene: Scene, host: str) -> EntityRef:
    """The port of vmk1: the third of the VMkernel's switch."""
    ports = sorted(
        r for r in scene.site.of if r.kind == "port" and scene.site.parents[r] == EntityRef("host", host)
    )
    return ports[4]


def hungry_memory(scene: Scene) -> Case:
    """A VM takes memory, the host's free memory falls, others are ballooned (P14)."""
    window = _moment(scene, scene.between(10, 30))
    culprit = scene.pick(scene.site.vms)
    host = EntityRef("host", scene.site.host(culprit))
    mates = [vm for vm in scene.site.vms if scene.site.host(vm) == host.key and vm != culprit]
    victim = scene.pick(mates)
    rise = drift(window.start, window.end)
    grown: Shape = lambda t: np.clip((t - window.start) / (0.4 * (window.end - window.start)), 0, 1)  # noqa: E731
    gb = scene.between(4000, 20_000)
    taken = ("mem.consumed", "mem.granted", "mem.touched")
    scene.add(scene.site.ids([culprit], taken), grown, gb, noise=0.02)
    scene.add(scene.site.ids([culprit], ("mem.active",)), grown, scene.between(10, 40), noise=0.1)
    scene.add(scene.site.ids([host], ("mem.free",)), grown, -gb / 4, noise=0.05)
    felt = later(rise, int(scene.rng.uniform(20_000, 60_000)))
    for vm in mates:
        scene.add(
            scene.site.ids([vm], ("mem.balloon", "mem.balloon_target")),
            felt,
            scene.between(300, 3000),
            noise=0.02,
        )
    scene.look_alikes(window, [culprit, victim], None)
    return scene.case(
        "memory taken from others", window, scene.site.ids([victim], ("mem.balloon",))[0], victim, culprit
    )


KINDS: tuple[Callable[[Scene], Case], ...] = (
    noisy_neighbour, returning_bursts, backup, slow_drift, virus_scan, boot_storm, busy_cpu, busy_uplink,
    vmotion, hungry_memory,
)  # fmt: skip


def make_case(reader: SessionReader, site: Site, seed: int) -> Case:
    """The case of a seed: the kinds take turns."""
    scene = Scene(reader, site, np.random.default_rng(seed), seed)
    return KINDS[seed % len(KINDS)](scene)
