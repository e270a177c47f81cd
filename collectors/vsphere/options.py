"""What somebody wants recorded of a vCenter or an ESXi host."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from collectors.vsphere.selection import Selection
from resources.vcenter_presets import DEFAULT_PRESET


@dataclass(frozen=True, slots=True)
class VSphereOptions:
    """What to record. ``preset`` is a name of resources/vcenter/presets.toml.

    ``backfill``: also the last hour that hosts still keep. ``history_days``: also so many days of rollups.
    ``rollups``: whether to go on recording 300 s rollups of clusters and datastores.
    """

    selection: Selection = field(default_factory=Selection)
    preset: str = DEFAULT_PRESET
    backfill: bool = True
    history_days: float = 0.0
    rollups: bool = True
    extra_dirs: tuple[Path, ...] = ()
