"""vSAN as a vCenter's performance service shows it: samples of five minutes of hosts, disks and uplinks."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lab.inventory import UPLINKS, VSAN_LUN, VSAN_UPLINK
from lab.lab import Lab
from lab.seen import Seen
from lab.vcenter_inventory import Json
from lab.vcenter_names import CLUSTER_NAME, vsan_disk_name
from lab.vsan import CAPACITY_DISKS, Vsan
from sessions.model import FloatArray

INTERVAL_S = 300
_MB = 1024.0 * 1024.0
_US, _PER_MILLE = 1000.0, 1000.0
_NAMESPACE = uuid.UUID("0b8e1c53-7a0f-5b52-9d3e-1f7c9a2e6b41")
_LATENCIES, _MEANS = ("latency", "avgLat"), ("ongestion", "HitRate")
_OF_HOSTS_ALONE = ("clientCacheHitRate", "readCongestion", "writeCongestion")
_CLIENT_HITS = 12.0
"""Percent of reads that a host finds in its own memory (0.4 % of it, at most 1 GB)."""

Values = Mapping[str, FloatArray]


@dataclass
class _Sums:
    """The ticks of an interval, each value (ticks, entities of one type), and the samples that they made."""

    ids: tuple[str, ...]
    pieces: list[Values] = field(default_factory=list)
    samples: dict[str, list[list[int]]] = field(default_factory=dict)


class VsanService:
    """Collects what the service of the lab's cluster would tell.

    Samples are of whole multiples of five minutes, as the service has them, and only where the lab ran for
    the whole interval. Latencies are means of all I/Os, the longest write of an interval is that of its
    slowest tick; numbers are whole, in the service's units: I/Os a second, bytes/s, microseconds, per mille
    of packets, percent, congestion 0 to 255.
    """

    def __init__(self, lab: Lab) -> None:
        assert lab.vsan is not None
        self._lab, self._vsan = lab, lab.vsan
        self.express = lab.vsan.kind == "express"
        self._rng = np.random.default_rng([lab.seed, VSAN_LUN, INTERVAL_S])
        self.uuid = self._named("cluster")
        hosts = [host.name for host in lab.cluster.hosts]
        self.nodes = {self._named(f"node/{host}"): host for host in hosts}
        self._groups = tuple(self._named(f"group/{host}") for host in hosts)
        self.disks = list(self._disks(hosts))
        self.times: list[int] = []
        self._began: int | None = None
        self._sums = {kind: _Sums(ids) for kind, ids in self._entities().items()}

    def take(self, seen: Seen) -> None:
        """Add ticks."""
        if self._began is None:
            self._began = seen.times_ms[0]
        values, begin, tick_ms = self._values(seen), 0, round(self._lab.tick_s * 1000)
        for number, began in enumerate(seen.times_ms, start=1):
            over = (began + tick_ms) % (INTERVAL_S * 1000)
            if over < self._lab.tick_s * 1000:
                self._add(values, slice(begin, number))
                self._close(began + tick_ms - over)
                begin = number
        self._add(values, slice(begin, None))

    def _add(self, values: Mapping[str, Values], ticks: slice) -> None:
        for kind, of_kind in values.items():
            piece = {label: value[ticks] for label, value in of_kind.items()}
            if len(next(iter(piece.values()))):
                self._sums[kind].pieces.append(piece)

    def document(self) -> Json:
        """Return everything, as ``vcenter_document`` has it."""
        return {
            "cluster": CLUSTER_NAME, "uuid": self.uuid, "interval_s": INTERVAL_S,
            "architecture": "ESA" if self.express else "OSA",
            "datastore": self._lab.cluster.luns[VSAN_LUN].name,
            "nodes": self.nodes, "disks": self.disks, "times_ms": self.times,
            "entities": [
                {
                    "type": kind, "id": one,
                    "values": {label: rows[at] for label, rows in sums.samples.items()},
                }
                for kind, sums in self._sums.items() for at, one in enumerate(sums.ids)
            ],
        }  # fmt: skip

    def _named(self, what: str) -> str:
        return str(uuid.uuid5(_NAMESPACE, f"{self._lab.cluster.worlds_seed}/{what}"))

    def _disks(self, hosts: list[str]) -> list[Json]:
        first = 0 if self.express else -1
        return [
            {
                "uuid": self._named(f"disk/{host}/{number}"), "host": host,
                "name": vsan_disk_name(self._lab.cluster, at, number),
                "group": "" if self.express else group, "cache": number < 0,
                "flash": number < 0 or self._vsan.kind != "hybrid",
            }
            for at, (host, group) in enumerate(zip(hosts, self._groups, strict=True))
            for number in range(first, CAPACITY_DISKS)
        ]  # fmt: skip

    def _entities(self) -> dict[str, tuple[str, ...]]:
        nodes = tuple(self.nodes)
        uplinks = tuple(f"{node}|vmnic{VSAN_UPLINK + n}" for node in nodes for n in (0, 1))
        found = {
            "cluster-domclient": (self.uuid,), "cluster-domcompmgr": (self.uuid,),
            "host-domclient": nodes, "host-domcompmgr": nodes,
            "vsan-host-net": nodes, "vsan-pnic-net": uplinks,
        }  # fmt: skip
        cache = tuple(str(disk["uuid"]) for disk in self.disks if disk["cache"])
        data = tuple(str(disk["uuid"]) for disk in self.disks if not disk["cache"])
        if self.express:
            return {**found, "vsan-esa-disk-layer": data, "vsan-esa-disk-scsifw": data}
        return {**found, "disk-group": self._groups, "cache-disk": cache, "capacity-disk": data}

    def _values(self, seen: Seen) -> dict[str, Values]:
        vsan = seen.vsan
        clients, backend = self._clients(seen), self._backend(vsan)
        found = {
            "host-domclient": clients, "host-domcompmgr": backend,
            "cluster-domclient": _whole(clients), "cluster-domcompmgr": _whole(backend),
            "vsan-host-net": self._network(vsan), "vsan-pnic-net": self._uplinks(seen),
        }  # fmt: skip
        if self.express:
            return {
                **found,
                "vsan-esa-disk-layer": self._legs(seen),
                "vsan-esa-disk-scsifw": self._nvme(vsan),
            }
        return {
            **found, "disk-group": self._disk_groups(vsan), "cache-disk": self._cache(vsan),
            "capacity-disk": self._capacity(vsan),
        }  # fmt: skip

    def _clients(self, seen: Seen) -> Values:
        vsan, storage, index = seen.vsan, seen.storage, self._lab.index
        pair = np.arange(index.hosts) * index.luns + VSAN_LUN
        read, write = storage.device_read_ms[:, pair], storage.device_write_ms[:, pair]
        together = (vsan.weight * vsan.worst_congestion).sum(axis=1, keepdims=True)
        held = np.repeat(together, index.hosts, axis=1)
        more = {"readCongestion": 0.3 * held, "writeCongestion": held} if self.express else {}
        return {
            "iopsRead": vsan.reads, "iopsWrite": vsan.writes,
            "throughputRead": vsan.mb_read * _MB, "throughputWrite": vsan.mb_written * _MB,
            "latencyAvgRead": read * _US, "latencyAvgWrite": write * _US,
            "oio": (vsan.reads * read + vsan.writes * write) / 1000.0, "congestion": held,
            "clientCacheHitRate": np.full(held.shape, _CLIENT_HITS), **more,
        }  # fmt: skip

    def _backend(self, vsan: Vsan) -> Values:
        read, write = vsan.group_read_ms, vsan.group_write_ms
        return {
            "iopsRead": vsan.back_reads, "iopsWrite": vsan.back_writes,
            "throughputRead": vsan.back_mb_read * _MB, "throughputWrite": vsan.back_mb_written * _MB,
            "latencyAvgRead": read * _US, "latencyAvgWrite": write * _US,
            "oio": (vsan.back_reads * read + vsan.back_writes * write) / 1000.0,
            "congestion": vsan.worst_congestion,
            "throughputRecWrite": vsan.resync * _MB, "tputResyncRead": vsan.resync * _MB,
        }  # fmt: skip

    def _disk_groups(self, vsan: Vsan) -> Values:
        none = np.zeros(vsan.hit.shape)
        hits = {"rcHitRate": 100.0 * vsan.hit} if vsan.kind == "hybrid" else {}
        return {
            "iopsRead": vsan.back_reads, "iopsWrite": vsan.back_writes,
            "throughputRead": vsan.back_mb_read * _MB, "throughputWrite": vsan.back_mb_written * _MB,
            "latencyAvgRead": vsan.group_read_ms * _US, "latencyAvgWrite": vsan.group_write_ms * _US,
            "wbFreePct": 100.0 * (1.0 - vsan.filled), **hits,
            "memCongestion": none, "slabCongestion": none, "compCongestion": none,
            **{f"{kind}Congestion": values for kind, values in vsan.congestion.items()},
        }  # fmt: skip

    def _cache(self, vsan: Vsan) -> Values:
        reads = vsan.back_reads * vsan.hit
        return _device(
            reads, vsan.back_writes, vsan.back_mb_read * vsan.hit, vsan.back_mb_written, vsan.front_read_ms,
            vsan.front_write_ms,
        )  # fmt: skip

    def _capacity(self, vsan: Vsan) -> Values:
        size = (vsan.back_mb_read + vsan.resync) / np.maximum(vsan.back_reads + 4.0 * vsan.resync, 1e-9)
        return _device(
            _flat(vsan.disk_reads), _flat(vsan.disk_writes), _flat(vsan.disk_reads * size[:, :, None]),
            _flat(vsan.disk_mb_written), _flat(vsan.disk_read_ms), _flat(vsan.disk_write_ms),
        )  # fmt: skip

    def _nvme(self, vsan: Vsan) -> Values:
        """The device itself: what both legs of the disk layer ask of it."""
        written = (vsan.back_mb_written / CAPACITY_DISKS)[:, :, None]
        writes = (vsan.back_writes / CAPACITY_DISKS)[:, :, None]
        size = vsan.back_mb_read / np.maximum(vsan.back_reads, 1e-9)
        found = dict(
            _device(
                _flat(vsan.disk_reads), _flat(vsan.disk_writes + writes),
                _flat(vsan.disk_reads * size[:, :, None]), _flat(vsan.disk_mb_written + written),
                _flat(vsan.disk_read_ms), _flat(vsan.disk_write_ms),
            )
        )  # fmt: skip
        rate, late = found["iopsDevRead"] + found["iopsDevWrite"], found["latencyDevDAvg"]
        return {
            **found, "latencyDevKAvg": found["latencyDevGAvg"] - late,
            "outstandingCmdCount": rate * late / 1e6,
        }  # fmt: skip

    def _legs(self, seen: Seen) -> Values:
        """The disk layer: writes go to the performance leg first, reads come from the capacity leg."""
        vsan = seen.vsan
        first = np.repeat(vsan.back_writes / CAPACITY_DISKS, CAPACITY_DISKS, axis=1)
        front = np.repeat(vsan.front_write_ms[:, :, None], CAPACITY_DISKS, axis=2)
        front[:, :, 0] += seen.parameters.vsan_slow_ms
        longest = self._rng.exponential(1.0, front.shape) + 2.0
        return {
            "iopsReadCapacity": _flat(vsan.disk_reads), "iopsWriteCapacity": _flat(vsan.disk_writes),
            "iopsReadPerf": 0.05 * _flat(vsan.disk_reads), "iopsWritePerf": first,
            "avgLatReadCapacity": 1.1 * _US * _flat(vsan.disk_read_ms),
            "avgLatWriteCapacity": 1.1 * _US * _flat(vsan.disk_write_ms),
            "avgLatReadPerf": 1.1 * _US * _flat(vsan.disk_read_ms),
            "avgLatWritePerf": 1.1 * _US * _flat(front),
            "maxWriteTimePerf": _US * _flat(front * longest),
            "maxWriteTimeCapacity": _US * _flat(vsan.disk_write_ms * longest),
        }  # fmt: skip

    def _network(self, vsan: Vsan) -> Values:
        return {
            "rxPacketsLossRate": _PER_MILLE * vsan.lost, "txPacketsLossRate": _PER_MILLE * vsan.resent(),
            "portRxDrops": _PER_MILLE * vsan.dropped, "portTxDrops": _PER_MILLE * vsan.dropped_tx,
        }  # fmt: skip

    def _uplinks(self, seen: Seen) -> Values:
        """The active uplink and the one that stands by; lost packets are counted where they would come in."""
        vsan = seen.vsan
        missed = seen.parameters.rx_loss.reshape(len(seen), -1, UPLINKS)[:, :, VSAN_UPLINK]
        shares = {
            "rxPacketsLossRate": vsan.damaged + vsan.dropped, "txPacketsLossRate": vsan.dropped_tx,
            "portRxDrops": vsan.dropped, "portTxDrops": vsan.dropped_tx, "pauseCount": 0.0 * vsan.lost,
            "rxCrcErr": vsan.damaged, "rxMissErr": missed,
        }  # fmt: skip
        return {
            label: _PER_MILLE * _flat(np.stack([share, 0.0 * share], axis=2))
            for label, share in shares.items()
        }

    def _close(self, at_ms: int) -> None:
        """End an interval: its sample, if the lab ran for all of it."""
        whole = self._began is not None and at_ms - self._began >= INTERVAL_S * 1000 - self._lab.tick_s * 1000
        if whole:
            self.times.append(at_ms)
        for sums in self._sums.values():
            for label, value in _means(sums.pieces).items() if whole else ():
                rows = sums.samples.setdefault(label, [[] for _ in sums.ids])
                for row, number in zip(rows, np.rint(value).astype(int).tolist(), strict=True):
                    row.append(number)
            sums.pieces.clear()


def _means(pieces: Sequence[Values]) -> Values:
    """The value of each entity over an interval; sums grow tick by tick, which decides their last digit."""
    ticks = {label: np.concatenate([piece[label] for piece in pieces]) for label in pieces[0]}
    found: dict[str, FloatArray] = {}
    for label, value in ticks.items():
        if label.startswith("max"):
            found[label] = value.max(axis=0)
        elif label.startswith(_LATENCIES):
            weight = np.maximum(ticks[_rate_of(label)], 1e-6)
            found[label] = np.cumsum(value * weight, axis=0)[-1] / np.cumsum(weight, axis=0)[-1]
        else:
            found[label] = np.cumsum(value, axis=0)[-1] / len(value)
    return found


def _flat(of_disks: FloatArray) -> FloatArray:
    """Of (ticks, hosts, disks) the disks of all hosts side by side."""
    return of_disks.reshape(len(of_disks), -1)


def _rate_of(label: str) -> str:
    """The label of the I/Os that a latency is of."""
    if label.startswith("avgLat"):
        return label.replace("avgLat", "iops")
    if label.endswith(("DAvg", "GAvg", "KAvg")):
        return "iopsDevRead"
    return label.replace("latencyAvg", "iops").replace("latencyDev", "iopsDev")


def _whole(of_hosts: Values) -> Values:
    """The cluster: sums of its hosts, means of latencies by their I/Os, of shares and congestion plainly."""
    found: dict[str, FloatArray] = {}
    for label, values in of_hosts.items():
        if label in _OF_HOSTS_ALONE:
            continue
        if label.startswith(_LATENCIES):
            rate = np.maximum(of_hosts[_rate_of(label)], 1e-6)
            found[label] = (values * rate).sum(axis=1, keepdims=True) / rate.sum(axis=1, keepdims=True)
        elif label.endswith(_MEANS):
            found[label] = values.mean(axis=1, keepdims=True)
        else:
            found[label] = values.sum(axis=1, keepdims=True)
    return found


def _device(
    reads: FloatArray,
    writes: FloatArray,
    mb_read: FloatArray,
    mb_written: FloatArray,
    read_ms: FloatArray,
    write_ms: FloatArray,
) -> Values:
    both = (reads * read_ms + writes * write_ms) / np.maximum(reads + writes, 1e-9)
    return {
        "iopsDevRead": reads, "iopsDevWrite": writes, "throughputDevRead": mb_read * _MB,
        "throughputDevWrite": mb_written * _MB,
        "latencyDevRead": read_ms * _US, "latencyDevWrite": write_ms * _US,
        "latencyDevDAvg": both * _US, "latencyDevGAvg": both * _US + 12.0,
    }  # fmt: skip
