"""Logs as hosts write them, from texts of knowledge-base articles; archives as vm-support makes them."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

LUN = "naa.600601601f70190016361881f3b4de11"
SLOW = "naa.600508b1001c577e11dd042e142a583f"
PATH = "vmhba3:C0:T2:L10"
VOLUME = "5b1e2f30-a1b2c3d4-e5f6-001122334455"
START = datetime(2026, 3, 5, 11, 20, 0, tzinfo=UTC)
START_MS = round(START.timestamp() * 1000)
LATENCY = (
    f"WARNING: ScsiDeviceIO: 1216: Device {SLOW} performance has deteriorated. I/O latency increased from "
    "average value of 38762 microseconds to 776315 microseconds."
)
SENSE = (
    f'NMP: nmp_CompleteCommandForPath: Command 0x28 (0x41000b10f000) to NMP device "{LUN}" failed on '
    f'physical path "{PATH}" H:0x0 D:0x2 P:0x0 Valid sense data: 0x2 0x4 0x3.'
)
NO_CONNECT = (
    f'NMP: nmp_CompleteCommandForPath: Command 0x2a (0x41000504e500) to NMP device "{LUN}" failed on '
    f'physical path "{PATH}" H:0x1 D:0x0 P:0x0 Possible sense data: 0x0 0x0 0x0.'
)
LINK_DOWN = "netschedHClk: NetSchedHClkNotify: vmnic0: link down notification"
LINK_UP = "netschedHClk: NetSchedHClkNotify: vmnic0: link up notification"
LOST = (
    f"vobd[2098532]  The event ([esx.problem.vmfs.heartbeat.timedout] {VOLUME} prod-01) was sent immediately "
    "to hostd;"
)
BACK = (
    "[vmfsCorrelator] 14807596740549us: [vob.vmfs.heartbeat.recovered] Reclaimed heartbeat for volume "
    f"{VOLUME} prod-01  [Timeout] [HB state abcdef02]"
)


def stamp(after_s: float) -> str:
    """A time as logs write it."""
    at = START + timedelta(seconds=after_s)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"


def vmkernel(after_s: float, text: str, *, release: int = 7) -> str:
    """A line of vmkernel.log, as ESXi up to 7 or from 8 on writes it."""
    level = "" if release <= 7 else "In(182) vmkernel: "
    return f"{stamp(after_s)} {level}cpu4:2758489){text}\n"


def archive(path: Path, files: Mapping[str, bytes | str]) -> Path:
    """A .tgz with these files; a name that ends in .gz is packed as well."""
    with tarfile.open(path, "w:gz") as packed:
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            data = gzip.compress(data) if name.endswith(".gz") and isinstance(content, str) else data
            member = tarfile.TarInfo(name)
            member.size = len(data)
            packed.addfile(member, io.BytesIO(data))
    return path
