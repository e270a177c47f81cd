"""A file as vscsiStats prints it, with numbers of our own: a database with a log, on scsi0:1."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

SIZES = (
    512,
    1024,
    2048,
    4095,
    4096,
    8191,
    8192,
    16383,
    16384,
    32768,
    49152,
    65535,
    65536,
    81920,
    131072,
    262144,
    524288,
)
FORWARD = (1, 2, 4, 6, 8, 16, 32, 64, 128, 500, 1000, 5000, 10000, 50000, 100000, 500000)
DISTANCES = (*(-one for one in reversed(FORWARD)), 0, *FORWARD)
OUTSTANDING = (1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32, 64)
LATENCIES = (1, 10, 100, 500, 1000, 5000, 15000, 30000, 50000, 100000)


def block(
    title: str,
    limits: tuple[int, ...],
    counts: Mapping[int, int],
    above: int = 0,
    handle: str = "8195 (scsi0:1)",
) -> str:
    """One histogram; its last limit stands there twice, as the host writes it."""
    total = sum(counts.values()) + above
    rows = [f"{counts.get(limit, 0)},{limit}" for limit in limits] + [f"{above},{limits[-1]}"]
    head = f"Histogram: {title},virtual machine worldGroupID,2100440,virtual disk handleID,{handle}"
    known = [limit for limit, count in counts.items() if count] or [0]
    numbers = [f"min,{min(known)}", f"max,{max(known)}", f"mean,{sum(known) // len(known)}", f"count,{total}"]
    return "\n".join([head, *numbers, "Frequency,Histogram Bucket Limit", *rows, ""])


def database(factor: int = 1, handle: str = "8195 (scsi0:1)") -> str:
    """7,000 reads (80 % of 8 KB, 20 % of 64 KB, 90 % random) and 3,000 writes (all 8 KB, 40 % in order)."""

    def counted(title: str, limits: tuple[int, ...], counts: Mapping[int, int], above: int = 0) -> str:
        return block(
            title, limits, {key: one * factor for key, one in counts.items()}, above * factor, handle
        )

    return "".join(
        (
            counted("IO lengths of commands", SIZES, {8192: 8600, 65536: 1400}),
            counted("IO lengths of Read commands", SIZES, {8192: 5600, 65536: 1400}),
            counted("IO lengths of Write commands", SIZES, {8192: 3000}),
            counted(
                "distance (in LBNs) between successive commands",
                DISTANCES,
                {1: 1900, -5000: 1000, -500000: 3600},
                3500,
            ),
            counted(
                "distance (in LBNs) between successive Read commands",
                DISTANCES,
                {1: 700, -500000: 3200},
                3100,
            ),
            counted(
                "distance (in LBNs) between successive Write commands",
                DISTANCES,
                {1: 1200, -500000: 900},
                900,
            ),
            counted(
                "distance (in LBNs) between each command from the closest of previous 16",
                DISTANCES,
                {1: 2500},
                7500,
            ),
            counted("latency of IOs in Microseconds (us)", LATENCIES, {500: 9000, 1000: 1000}),
            counted("number of outstanding IOs when a new IO is issued", OUTSTANDING, {8: 4000, 16: 6000}),
            counted("latency of IO interarrival time in Microseconds (us)", LATENCIES, {100: 10000}),
            counted("latency of IO interarrival time for Reads in Microseconds (us)", LATENCIES, {100: 7000}),
        )
    )


@pytest.fixture
def printed() -> Callable[..., str]:
    """Make the text of a capture."""
    return database
