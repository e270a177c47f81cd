"""What esxtop's columns mean: the path grammar, and how columns join into entities and series."""

from collectors.esxtop_names.layout import Counters, HostLayout, TextColumn, build_layouts
from collectors.esxtop_names.paths import LONGEST_PATH, ColumnPath, PathReader, format_path, parse_path
from collectors.esxtop_names.places import ESXTOP_CLASSES
from collectors.esxtop_names.zero_fill import ZeroFill

__all__ = [
    "ESXTOP_CLASSES",
    "LONGEST_PATH",
    "ColumnPath",
    "Counters",
    "HostLayout",
    "PathReader",
    "TextColumn",
    "ZeroFill",
    "build_layouts",
    "format_path",
    "parse_path",
]
