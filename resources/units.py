"""The one place that formats numbers and units.

Every function gives the same text for the same value everywhere: screen, terminal report, HTML. A value that is
absent (NaN) or not finite is ``–``, without a unit.
"""

from __future__ import annotations

import math

ABSENT = "–"

UNITS: dict[str, str] = {
    "%": "percent",
    "ms": "milliseconds",
    "µs": "microseconds",
    "s": "seconds",
    "MB": "megabytes of 1024 × 1024 bytes, as esxtop counts them",
    "MB/s": "megabytes of 1024 × 1024 bytes a second",
    "B": "bytes",
    "B/s": "bytes a second",
    "Mbit/s": "million bits a second",
    "MHz": "megahertz",
    "W": "watts",
    "/s": "a second",
    "count": "a number of things",
    "ratio": "a factor: 1 is all of it",
    "shares": "shares",
    "flag": "1 yes, 0 no",
    "state": "a number that names a state",
    "text": "text",
}
"""The units that a counter may have, and what each is."""
