"""What esxtop's columns mean: the path grammar, and how columns join into entities and series."""

from collectors.esxtop_names.layout import Counters, HostLayout, TextColumn, build_layouts
from collectors.esxtop_names.paths import LONGEST_PATH, ColumnPath, PathReader, format_path, parse_path
from collectors.esxtop_names.places import ESXTOP_CLASSES
from collectors.esxtop_names.repairs import (
    ZERO_FILLED,
    EsxtopRepairs,
    FillRun,
    RepairRules,
    ZeroFillRuns,
    join_runs,
)
from collectors.esxtop_names.zero_fill import ZeroFill

__all__ = [
    "ESXTOP_CLASSES",
    "LONGEST_PATH",
    "ZERO_FILLED",
    "ColumnPath",
    "Counters",
    "EsxtopRepairs",
    "FillRun",
    "HostLayout",
    "PathReader",
    "RepairRules",
    "TextColumn",
    "ZeroFill",
    "ZeroFillRuns",
    "build_layouts",
    "format_path",
    "join_runs",
    "parse_path",
]
