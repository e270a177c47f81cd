"""What esxtop's columns mean: the path grammar, and how columns join into entities and series."""

from collectors.esxtop_names.host_columns import Counters, HostColumns, TextColumn, columns_by_host
from collectors.esxtop_names.owners import ESXTOP_CLASSES
from collectors.esxtop_names.paths import LONGEST_PATH, ColumnPath, PathReader, format_path, parse_path
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
    "HostColumns",
    "PathReader",
    "RepairRules",
    "TextColumn",
    "ZeroFill",
    "ZeroFillRuns",
    "columns_by_host",
    "format_path",
    "join_runs",
    "parse_path",
]
