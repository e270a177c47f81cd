"""What vSAN's performance service tells of a site: usual numbers, and what is told otherwise."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

_STEP_S = 300
_DISKS = 4
"""Capacity disks of each host's disk group."""
_CLIENT: Mapping[str, float] = {
    "iopsRead": 4200,
    "iopsWrite": 1900,
    "throughputRead": 92e6,
    "throughputWrite": 41e6,
    "latencyAvgRead": 900,
    "latencyAvgWrite": 2000,
    "oio": 8,
    "congestion": 0,
}
_BACKEND: Mapping[str, float] = {**_CLIENT, "throughputRecWrite": 0, "tputResyncRead": 0}
_GROUP: Mapping[str, float] = {
    "iopsRead": 4200,
    "iopsWrite": 3800,
    "throughputRead": 92e6,
    "throughputWrite": 82e6,
    "latencyAvgRead": 700,
    "latencyAvgWrite": 900,
    "wbFreePct": 88,
    "memCongestion": 0,
    "slabCongestion": 0,
    "ssdCongestion": 0,
    "iopsCongestion": 0,
    "logCongestion": 0,
    "compCongestion": 0,
}
_DEVICE: Mapping[str, float] = {
    "iopsDevRead": 620,
    "iopsDevWrite": 240,
    "throughputDevRead": 14e6,
    "throughputDevWrite": 21e6,
    "latencyDevRead": 1600,
    "latencyDevWrite": 900,
    "latencyDevDAvg": 1400,
    "latencyDevGAvg": 1420,
}
_NET: Mapping[str, float] = {
    "rxPacketsLossRate": 0,
    "txPacketsLossRate": 0,
    "portRxDrops": 0,
    "portTxDrops": 0,
}


class VsanChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Samples (the service's unit) of a label of a type's entities: all, a host's, or its n-th disk."""

    of: str
    label: str
    values: tuple[float, ...]
    host: str = ""
    number: int = -1


class VsanTold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a scenario tells of vSAN's service; samples are of five minutes."""

    changes: tuple[VsanChange, ...]
    samples: int = 12


def vsan_document(told: VsanTold, hosts: Sequence[str], start_ms: int) -> dict[str, Any]:
    """The part ``vsan`` of a document that ``tests.vcenter_lab.vcenter_session`` reads."""
    cluster = _id("cluster")
    disks = [
        {
            "uuid": _id(f"disk/{host}/{number}"),
            "host": host,
            "group": _id(f"group/{host}"),
            "cache": number < 0,
            "name": f"naa.5002538b{at:02d}{number + 1:06d}",
            "flash": True,
        }
        for at, host in enumerate(hosts)
        for number in range(-1, _DISKS)
    ]
    return {
        "cluster": "cluster01",
        "uuid": cluster,
        "interval_s": _STEP_S,
        "architecture": "OSA",
        "datastore": "vsanDatastore",
        "nodes": {_id(f"node/{host}"): host for host in hosts},
        "disks": disks,
        "times_ms": [start_ms + _STEP_S * 1000 * (at + 1) for at in range(told.samples)],
        "entities": [
            {"type": kind, "id": one, "values": _values(told, kind, host, number, usual, len(hosts))}
            for kind, one, host, number, usual in _entities(hosts)
        ],
    }


def _entities(hosts: Sequence[str]) -> Iterator[tuple[str, str, str, int, Mapping[str, float]]]:
    """Type, id, host, number on the host and usual values of everything that the service has numbers of."""
    yield "cluster-domclient", _id("cluster"), "", -1, _CLIENT
    yield "cluster-domcompmgr", _id("cluster"), "", -1, _BACKEND
    for host in hosts:
        yield "host-domclient", _id(f"node/{host}"), host, -1, _CLIENT
        yield "host-domcompmgr", _id(f"node/{host}"), host, -1, _BACKEND
        yield "vsan-host-net", _id(f"node/{host}"), host, -1, _NET
        yield "disk-group", _id(f"group/{host}"), host, -1, _GROUP
        yield (
            "cache-disk",
            _id(f"disk/{host}/-1"),
            host,
            -1,
            {**_DEVICE, "latencyDevRead": 200, "latencyDevWrite": 300},
        )
        for number in range(_DISKS):
            yield "capacity-disk", _id(f"disk/{host}/{number}"), host, number, _DEVICE


def _values(
    told: VsanTold, kind: str, host: str, number: int, usual: Mapping[str, float], hosts: int
) -> dict[str, list[int]]:
    """Each label's samples: as told, otherwise the usual ones with a small scatter."""
    scale = hosts if kind.startswith("cluster") else 1
    values = {
        label: [
            round(
                value
                * (scale if not label.startswith("lat") else 1)
                * (1 + 0.04 * ((at * 7 + number * 3) % 5 - 2))
            )
            for at in range(told.samples)
        ]
        for label, value in usual.items()
    }
    for change in told.changes:
        if change.of == kind and change.host in ("", host) and change.number in (-1, number):
            values[change.label] = [round(one) for one in change.values]
    if "latencyDevDAvg" in values:
        _weigh(values)
    return values


def _weigh(values: dict[str, list[int]]) -> None:
    """A device's latency is the mean of its reads' and writes'."""
    reads, writes = values["iopsDevRead"], values["iopsDevWrite"]
    late = zip(reads, values["latencyDevRead"], writes, values["latencyDevWrite"], strict=True)
    values["latencyDevDAvg"] = [round((r * read + w * write) / (r + w)) for r, read, w, write in late]
    values["latencyDevGAvg"] = [one + 20 for one in values["latencyDevDAvg"]]


def _id(what: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, f"fifth/{what}"))
