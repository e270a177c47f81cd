"""The storage of the lab's cluster as the seed draws it: arrays, their LUNs, and vSAN."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from lab.inventory import (
    CDROM_ARRAY,
    FLASH_ARRAY,
    HYBRID_ARRAY,
    LOCAL_ARRAY,
    NFS_ARRAY,
    NFS_LUN,
    SHARED_LUNS,
    VSAN_ARRAY,
    VSAN_LUN,
    Array,
    Lun,
    VsanKind,
)

_NFS_NAMES = ("nfs-vol01", "NFS_ISO_Archive", "nas02-backup")
_VSAN: Mapping[str, VsanKind] = {
    "vsan-hybrid": "hybrid",
    "vsan-flash": "flash",
    "vsan-express": "express",
}


def vsan_kind(storage: str) -> VsanKind | None:
    """Return the kind of vSAN that a site has, None for none."""
    return _VSAN.get(storage)


def draw_storage(storage: str, rng: np.random.Generator) -> tuple[tuple[Lun, ...], tuple[Array, ...]]:
    """Draw the LUNs and arrays of a site whose disks lie on ``storage``."""
    draw = rng.uniform
    vendor = "naa.600508b4000" + rng.bytes(4).hex()[:5]
    flash = "naa.624a9370" + rng.bytes(6).hex()[:10]
    luns = [Lun(f"{vendor}{number:04x}{rng.bytes(4).hex()}", HYBRID_ARRAY, number) for number in range(4)]
    luns += [Lun(f"{flash}{number:06x}{rng.bytes(4).hex()}", FLASH_ARRAY, number) for number in range(4, 7)]
    luns += [
        Lun(_NFS_NAMES[int(rng.integers(len(_NFS_NAMES)))], NFS_ARRAY, NFS_LUN, nfs=True),
        Lun("t10.ATA_____SAMSUNG_MZ7LH480HAHQ2D00005______________________S45PNA0M", LOCAL_ARRAY, 0),
        Lun("mpx.vmhba0:C0:T5:L0", CDROM_ARRAY, 5),
    ]  # fmt: skip
    arrays: tuple[Array, ...] = (
        Array("hybrid", draw(9_000, 13_000), draw(1.6, 2.6), draw(0.5, 0.9), 400.0),
        Array("flash", draw(60_000, 90_000), draw(0.28, 0.45), draw(0.2, 0.35), 1500.0),
        Array("nfs", draw(6_000, 9_000), draw(1.2, 2.2), draw(1.4, 2.4), 600.0),
        Array("local", 20_000.0, 0.35, 0.25, 400.0),
        Array("cdrom", 60.0, 31.0, 31.0, 10.0),
    )
    if storage == "nvme":
        luns, arrays = _on_nvme(luns, arrays)
    elif storage == "nfs":
        arrays = tuple(replace(one, iops=4.0 * one.iops) if one.name == "nfs" else one for one in arrays)
    if vsan_kind(storage):
        luns.append(Lun("vsanDatastore", VSAN_ARRAY, VSAN_LUN, vsan=True))
        arrays = (*arrays, Array("vsan", 1e7, 1.0, 1.0, 1100.0))
    return tuple(luns), arrays


def _on_nvme(luns: Sequence[Lun], arrays: Sequence[Array]) -> tuple[list[Lun], tuple[Array, ...]]:
    """The shared LUNs as namespaces of NVMe over fabrics."""
    named = [
        replace(lun, name=f"eui.{lun.name.rpartition('.')[2][-26:]:0>32}") if number < SHARED_LUNS else lun
        for number, lun in enumerate(luns)
    ]
    quick = [
        replace(one, iops=12.0 * one.iops, read_ms=0.16, write_ms=0.06, stream_mbps=3000.0)
        if one.name in ("hybrid", "flash")
        else one
        for one in arrays
    ]
    return named, tuple(quick)
