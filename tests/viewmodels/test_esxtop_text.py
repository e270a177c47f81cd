"""What is copied of the esxtop table: heads with units, numbers that calculate, names that run nothing."""

from __future__ import annotations

import math

import pytest

from viewmodels.esxtop_table import TableColumn
from viewmodels.esxtop_text import head_of, text_table
from viewmodels.text_table import as_csv, as_tsv


@pytest.mark.parametrize(
    ("title", "unit", "per", "head", "heading"),
    [
        ("%RDY", "%", "per vCPU", "%RDY (per vCPU)", ("%RDY", "per vCPU")),
        ("%DRPTX", "%", "", "%DRPTX", ("%DRPTX", "%")),
        ("MCTLSZ", "MB", "", "MCTLSZ (MB)", ("MCTLSZ", "MB")),
        ("DAVG/cmd", "ms", "", "DAVG/cmd (ms)", ("DAVG", "ms/cmd")),
        ("CMDS/s", "/s", "", "CMDS/s", ("CMDS/s", "")),
        ("MbTX/s", "Mbit/s", "", "MbTX/s (Mbit/s)", ("MbTX/s", "Mbit/s")),
        ("%A/MPERF", "%", "", "%A/MPERF", ("%A/MPERF", "%")),
        ("NWLD", "count", "", "NWLD", ("NWLD", "")),
    ],
)
def test_a_head_says_the_unit_that_the_name_does_not(
    title: str, unit: str, per: str, head: str, heading: tuple[str, str]
) -> None:
    column = TableColumn("c", title, unit, "", per=per)
    assert (head_of(column), column.heading) == (head, heading)


def test_names_are_no_formulas_and_absent_numbers_are_empty() -> None:
    columns = [TableColumn("cpu.ready", "%RDY", "%", ""), TableColumn("cpu.used", "%USED", "%", "")]
    names = [("=cmd|' /C calc'!A0", "esx01"), ("-1+web", "esx02")]
    table = text_table("esxtop CPU", columns, names, [[33.21, math.nan], [-0.5, 1 / 3]], hosts=True)
    assert as_tsv(table).splitlines() == [
        "Name\tHost\t%RDY\t%USED",
        "'=cmd|' /C calc'!A0\tesx01\t33.21\t",
        "'-1+web\tesx02\t-0.5\t0.3333",
    ]
    assert as_csv(table).splitlines()[1:] == ["'=cmd|' /C calc'!A0,esx01,33.21,", "'-1+web,esx02,-0.5,0.3333"]
    alone = text_table("esxtop CPU", columns[:1], names[:1], [[1.0]], hosts=False)
    assert alone.heads == ("Name", "%RDY")
