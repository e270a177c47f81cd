"""What esxtop's columns mean: the path grammar, and how columns join into entities and series.

A name is loaded when somebody asks for it: the worker processes of an import repair rows and read no names.
"""

from typing import TYPE_CHECKING

from resources.lazy_names import lazy_names

if TYPE_CHECKING:
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

if not TYPE_CHECKING:  # else mypy would take any name for one of these
    __getattr__ = lazy_names(
        __name__,
        {
            "Counters": "host_columns",
            "HostColumns": "host_columns",
            "TextColumn": "host_columns",
            "columns_by_host": "host_columns",
            "ESXTOP_CLASSES": "owners",
            "LONGEST_PATH": "paths",
            "ColumnPath": "paths",
            "PathReader": "paths",
            "format_path": "paths",
            "parse_path": "paths",
            "ZERO_FILLED": "repairs",
            "EsxtopRepairs": "repairs",
            "FillRun": "repairs",
            "RepairRules": "repairs",
            "ZeroFillRuns": "repairs",
            "join_runs": "repairs",
            "ZeroFill": "zero_fill",
        },
    )
