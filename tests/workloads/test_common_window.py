"""What workers did while all of them worked, from documents as fio writes them."""

from __future__ import annotations

import json

import pytest

from collectors.fio.documents import Document, read_documents
from collectors.fio.histogram import merged
from sessions.times import TimeRange
from workloads.common_window import common_window, portion


def document(at_s: float, runtime_s: float, ios: int, latency: int = 1000) -> Document:
    """One document with ``ios`` reads of that latency (ns) since the job's start."""
    latencies = {"N": ios, "mean": latency, "bins": {str(latency): ios}}
    read = {
        "total_ios": ios, "io_bytes": ios * 4096, "runtime": int(runtime_s * 1000),
        "lat_ns": latencies, "clat_ns": latencies,
    }  # fmt: skip
    text = json.dumps(
        {
            "fio version": "fio-3.33",
            "timestamp_ms": int(at_s * 1000),
            "jobs": [{"jobname": "a", "read": read}],
        }
    )
    return read_documents(text, "test")[0]


def steady(start_s: float, end_s: float, rate: int = 100, every_s: float = 1.0) -> list[Document]:
    """The documents of a worker that reads ``rate`` a second."""
    count = round((end_s - start_s) / every_s)
    return [
        document(start_s + number * every_s, number * every_s, round(number * every_s * rate))
        for number in range(count + 1)
    ]


def test_the_common_window_is_where_all_measured() -> None:
    assert common_window([steady(100, 110), steady(103, 112)]) == TimeRange(103_000, 110_000)
    assert common_window([steady(100, 110), steady(110, 112)]) is None
    assert common_window([steady(100, 110), []]) is None
    assert common_window([]) is None


def test_of_a_worker_that_began_earlier_and_ended_later_only_the_window_counts() -> None:
    part = portion(steady(100, 130), TimeRange(110_000, 120_000))
    assert part is not None
    assert (part.start, part.end, part.reads.ios) == (110_000, 120_000, 1000)
    assert part.reads.histogram.total == 1000
    assert part.writes.ios == 0


def test_a_worker_that_fits_is_taken_whole_though_its_clock_is_some_ms_off() -> None:
    part = portion(steady(99.95, 119.95, every_s=5), TimeRange(100_000, 119_900))
    assert part is not None
    assert part.reads.ios == 2000


def test_rates_are_kept_when_documents_do_not_meet_the_windows_edges() -> None:
    window = TimeRange(110_500, 119_500)
    part = portion(steady(100, 130), window)
    assert part is not None
    assert (part.start, part.end) == (111_000, 119_000)
    assert part.of_window(window).reads.ios == 900
    assert part.of_window(window).seconds == 9


def test_what_was_before_fio_counted_from_zero_is_its_warm_up() -> None:
    documents = [*steady(100, 105, rate=7), *steady(105, 115, rate=100)]
    assert common_window([documents]) == TimeRange(105_000, 115_000)
    part = portion(documents, TimeRange(105_000, 115_000))
    assert part is not None
    assert part.reads.ios == 1000


def test_merged_latencies_are_those_of_the_window_only() -> None:
    slow = [document(100, 0, 0), document(110, 10, 1000, 1000), document(120, 20, 1000, 1000)]
    part = portion(slow, TimeRange(110_000, 120_000))
    assert part is not None
    assert part.reads.ios == 0
    both = [portion(steady(100, 110), TimeRange(100_000, 110_000)), part]
    together = merged(one.reads.histogram for one in both if one is not None)
    assert together.total == 1000
    assert together.percentile(99) == 1000


def test_without_documents_there_is_no_portion() -> None:
    assert portion([], TimeRange(0, 1)) is None
    assert portion(steady(100, 110), TimeRange(200_000, 210_000)) is None
    assert portion([document(100, 10, 5)], TimeRange(95_000, 98_000)) is None


@pytest.mark.parametrize("every_s", [1, 2, 5])
def test_a_worker_that_was_lost_early_bounds_the_window(every_s: int) -> None:
    lost, whole = steady(100, 110, every_s=every_s), steady(100, 160, every_s=every_s)
    window = common_window([lost, whole])
    assert window == TimeRange(100_000, 110_000)
    part = portion(whole, window)
    assert part is not None
    assert part.reads.ios == 1000
