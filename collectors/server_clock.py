"""Reads the clock of a vCenter or an ESXi host."""

from __future__ import annotations

import time

from collectors.axis import ClockReading
from connections.vsphere.session import VSphere


def read_clock(vsphere: VSphere) -> ClockReading:
    """Ask the server for its time. Raises SourceError."""
    server, took = vsphere.server_time()
    at = time.monotonic() - took / 2
    return ClockReading(server.timestamp() * 1000, at, float(vsphere.clock_offset_ms), took * 500)
