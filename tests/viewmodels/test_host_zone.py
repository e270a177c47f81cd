"""The zone of a session's hosts is what their captures tell; what none tells stays unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from collectors.esxtop.importing import import_captures
from sessions.store import SessionReader
from viewmodels.time_labels import host_clock

COLUMNS = r'"\\esx01\Physical Cpu(_Total)\% Processor Time","\\esx01\Memory\Free MBytes"'


def capture(folder: Path, name: str, stamp: str) -> Path:
    path = folder / name
    rows = "".join(f'"11/21/2026 15:00:{second:02}","1.0","5.0"\n' for second in range(0, 30, 5))
    path.write_text(f'"{stamp}",{COLUMNS}\n{rows}')
    return path


@pytest.mark.parametrize(
    ("stamps", "moment"),
    [
        (["(PDH-CSV 4.0) (UTC)(0)"], "15:00:00 UTC"),
        (["(PDH-CSV 4.0) (CET)(-60)"], "15:00:00 CET"),
        (["(PDH-CSV 4.0) (GMT-08:00 Pacific)(480)"], "15:00:00 UTC−8"),
        (["(PDH-CSV 4.0)"], None),
        (["(PDH-CSV 4.0) (CET)(-60)", "(PDH-CSV 4.0) (CEST)(-120)"], None),
    ],
)
def test_what_the_header_tells(tmp_path: Path, stamps: list[str], moment: str | None) -> None:
    files = [capture(tmp_path, f"{number}.csv", stamp) for number, stamp in enumerate(stamps)]
    out = tmp_path / "s.hscope"
    import_captures(files, out)
    with SessionReader.open(out) as reader:
        clock, span = host_clock(reader.sources()), reader.span()
    assert span is not None
    assert (clock.moment(span.start) if clock else None) == moment
