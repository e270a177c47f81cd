"""Who is due: what runs, and what should."""

from __future__ import annotations

from dataclasses import replace

from collectors.vsphere.counters.coverage import Coverage
from collectors.vsphere.counters.sample_book import SampleBook
from collectors.vsphere.counters.series_index import SeriesIndex
from collectors.vsphere.counters.watermarks import Slots, Watermarks
from collectors.vsphere.inventory.objects import HOST, VM, Managed
from sessions.model import EntityRef
from tests.vsphere.feeds import MemoryFeed

ESX = Managed("host-1", HOST, EntityRef("host", "esx01"), "esx01", None, 0, True, True, None, {})
GUEST = Managed("vm-1", VM, EntityRef("vm", "uuid-1"), "sql", "host-1", 2, True, True, None, {})


def coverage() -> Coverage:
    columns, watermarks, slots = SeriesIndex(20.0), Watermarks(), Slots(20_000)
    book = SampleBook(MemoryFeed(), 1, columns, watermarks, slots)
    return Coverage(columns, book, watermarks, look_back=15, hour=180, backfill=False)


def test_a_host_that_does_not_respond_is_due_and_one_in_standby_is_not() -> None:
    there = coverage()
    there.update([ESX], 10)
    assert there.active == 1
    silent = replace(ESX, connected=False)
    there.update([silent], 11)
    assert (there.active, there.is_polled(silent)) == (1, True)
    asleep = replace(silent, powered_on=False)
    there.update([asleep], 12)
    assert (there.active, there.is_polled(asleep)) == (0, True)  # its last samples may still come
    there.update([asleep], 40)
    assert not there.is_polled(asleep)
    there.update([ESX], 41)
    assert there.active == 1


def test_a_host_that_never_was_connected_is_not_asked() -> None:
    there, away = coverage(), replace(ESX, connected=False)
    there.update([away, GUEST], 10)
    assert (there.active, there.is_polled(away), there.is_polled(GUEST)) == (1, False, True)
