"""The esxtop view without rows: why there are none, and where there would be some."""

from __future__ import annotations

import pytest

from resources.catalogue import load_catalogue
from resources.views import load_screens
from viewmodels.esxtop_rows import why_no_rows


@pytest.mark.parametrize(
    ("screen", "sources", "words"),
    [
        ("interrupt", {"vcenter"}, "vCenter does not count"),
        ("interrupt", {"vcenter", "esxtop"}, "esxtop writes all with -a"),
        ("memory", {"vcenter", "esxi"}, "choose more counters"),
        ("memory", {"esxtop"}, "esxtop writes all with -a"),
    ],
)
def test_where_rows_would_come_from(screen: str, sources: set[str], words: str) -> None:
    catalogue = load_catalogue()
    [found] = [one for one in load_screens(catalogue) if one.id == screen]
    assert words in why_no_rows(found, sources, catalogue)
