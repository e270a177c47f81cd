"""What a user wants recorded of a vCenter or an ESXi host."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from collectors.vsphere.selection import Selection
from resources.vcenter_presets import DEFAULT_PRESET


@dataclass(frozen=True, slots=True)
class VSphereOptions:
    """The user's choice of what to record. ``preset`` names a table of resources/vcenter/presets.toml.

    ``backfill``: also record the last hour, which hosts keep. ``history_days``: also record so many days of
    rollups. ``rollups``: record new 300 s rollups of clusters and datastores while recording.
    """

    selection: Selection = field(default_factory=Selection)
    preset: str = DEFAULT_PRESET
    backfill: bool = True
    history_days: float = 0.0
    rollups: bool = True
    extra_dirs: tuple[Path, ...] = ()
