"""A Windows guest by typeperf: its described output decoded, and a fake typeperf over a real sshd.

No Windows was there: the fake prints what the description says, in the forms that regions write numbers in.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest

from collectors.guest.live import GuestCollector
from collectors.guest.options import GuestOptions
from collectors.guest.typeperf import TypeperfReader
from collectors.guest.windows import command_line
from resources.catalogue import load_catalogue
from resources.failures import NoCountersError, SourceError
from resources.guest_counters import load_windows_counters
from tests.connections.ssh_servers import HASTY, Sshd, by_key, yes
from tests.guest.conftest import Recording, address_of
from tests.vsphere.feeds import MemoryFeed, Stop

COUNTERS = load_windows_counters()
ARRIVED = datetime(2026, 11, 23, 13, 45, 1, 200_000, UTC)
HEADER = (
    r'"(PDH-CSV 4.0)","\\APP01\Processor(0)\% Processor Time","\\APP01\Processor(_Total)\% Processor Time",'
    r'"\\APP01\PhysicalDisk(0 C:)\Disk Reads/sec","\\APP01\PhysicalDisk(0 C:)\Avg. Disk sec/Read",'
    r'"\\APP01\PhysicalDisk(_Total)\Disk Reads/sec","\\APP01\Memory\Available Bytes",'
    r'"\\APP01\Network Interface(vmxnet3 Ethernet Adapter _2)\Bytes Received/sec"'
)


def read(row: str, header: str = HEADER) -> tuple[datetime, dict[tuple[str, str], float]]:
    reader = TypeperfReader(COUNTERS, 5.0)
    (found,) = reader.feed(f"\r\n{header}\r\n{row}\r\n".encode(), ARRIVED.timestamp() * 1000)
    return datetime.fromtimestamp(found.t_ms / 1000, UTC), dict(found.sample.values)


ROW = (
    '"11/23/2026 13:45:01.123","12.500000","8.250000","40.000000","0.003000","40.0","1073741824","1250000.0"'
)


@pytest.mark.parametrize("row", [ROW, ROW.replace(".", ",").replace(",123", ".123", 1)])
def test_numbers_with_points_and_with_commas(row: str) -> None:
    _, values = read(row)
    assert values == {
        ("guest.cpu_used", "cpu0"): 12.5,
        ("guest.cpu_used", ""): 8.25,
        ("guest.disk_reads", "0 C:"): 40.0,
        ("guest.disk_read_latency", "0 C:"): 3.0,
        ("guest.mem_available", ""): 1024.0,
        ("guest.net_rx", "vmxnet3 Ethernet Adapter _2"): 10.0,
    }


def test_semicolons_between_them() -> None:
    _, values = read(ROW.replace('","', '";"').replace("12.5", "12,5"), HEADER.replace('","', '";"'))
    assert values["guest.cpu_used", "cpu0"] == 12.5


def test_a_blank_is_no_number_and_a_disk_without_reads_has_no_latency() -> None:
    _, values = read('"11/23/2026 13:45:01.123"," ","-1","0.000000","0.000000","0.0","1.#QNAN","0.0"')
    assert values == {
        ("guest.disk_reads", "0 C:"): 0.0,
        ("guest.net_rx", "vmxnet3 Ethernet Adapter _2"): 0.0,
    }


@pytest.mark.parametrize("minutes", [0, 60, -480, 330, 345, 825])
def test_local_times_of_any_zone_become_utc(minutes: int) -> None:
    local = datetime(2026, 11, 23, 13, 45, 1, 123_000) + timedelta(minutes=minutes)
    at, _ = read(ROW.replace("11/23/2026 13:45:01.123", local.strftime("%m/%d/%Y %H:%M:%S.123")))
    assert at == datetime(2026, 11, 23, 13, 45, 1, 123_000, UTC)


def test_every_counter_is_of_the_catalogue() -> None:
    catalogue = load_catalogue()
    assert all("guest" in getattr(catalogue.get(one.key), "entities", ()) for one in COUNTERS.counter)
    line = command_line(COUNTERS, 5)
    assert line.startswith("typeperf -si 5 -sc 720 ")
    assert len(line) < 8191  # cmd's longest
    assert not {"$", "`", "'", "&", "|", ">", "<", "^"} & set(line)


def test_a_line_without_end_is_refused() -> None:
    with pytest.raises(SourceError, match="longer than any guest's"):
        TypeperfReader(COUNTERS, 5.0).feed(b"x" * (COUNTERS.limits.line_bytes + 1), 0.0)


# Over ssh

_TYPEPERF = r"""#!/usr/bin/env python3
import sys, time
from datetime import datetime
words = sys.argv[1:]
every, samples = int(words[words.index("-si") + 1]), int(words[words.index("-sc") + 1])
paths = [word for word in words if word.startswith("\\")]
print()
if "{names}" == "german":
    print("Fehler: Keine gueltigen Leistungsindikatoren.", flush=True)
    sys.exit(1)
columns = ["\\\\APP01" + path.replace("(*)", "(" + one + ")")
           for path in paths for one in (("_Total", "0") if "(*)" in path else ("",))]
print('"(PDH-CSV 4.0)",' + ",".join('"' + one + '"' for one in columns), flush=True)
for number in range(samples):
    time.sleep(every)
    now = datetime.now().strftime("%m/%d/%Y %H:%M:%S.%f")[:-3]
    print('"' + now + '",' + ",".join('"7,500000"' for _ in columns), flush=True)
"""


@pytest.fixture
def windows(tmp_path: Path) -> Iterator[Callable[[str], Sshd]]:
    """An sshd whose commands are fakes of Windows' own: ``windows("english")``."""
    if sys.platform != "linux":
        pytest.skip("the fakes are scripts")
    running: list[Sshd] = []

    def start(names: str) -> Sshd:
        folder = tmp_path / "sshd"
        tools = tmp_path / "tools"
        folder.mkdir()
        tools.mkdir()
        python = f"#!{sys.executable}\n"
        fakes = {
            "typeperf": python + _TYPEPERF.replace("{names}", names).partition("\n")[2],
            "uname": "#!/bin/sh\necho \"'uname' is not recognized\" >&2\nexit 1\n",
            "getmac": '#!/bin/sh\necho \'"00-50-56-AA-BB-CC","\\Device\\Tcpip_{1}"\'\n',
        }
        for name, text in fakes.items():
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        server = Sshd(folder)
        server.options.append(f"SetEnv PATH={tools}{os.pathsep}{os.environ['PATH']}")
        server.start()
        running.append(server)
        return server

    yield start
    for server in running:
        server.stop()


def test_a_recording_of_a_windows_guest(
    windows: Callable[[str], Sshd], recording: Callable[..., Recording]
) -> None:
    server = windows("english")
    run = recording(server)
    run.until_ticks(3)
    started = psutil.Process(server.pid).children(recursive=True)
    commands = [" ".join(one.cmdline()) for one in started]
    run.end()
    (guest,) = {key[1] for key in run.feed.samples}
    assert (guest.kind, run.feed.entities[guest].name) == ("guest", "APP01")
    facts = {fact.name: fact.value for fact in run.feed.facts}
    assert (facts["guest.system"], facts["nic.nic0.mac"]) == ("Windows", "00:50:56:aa:bb:cc")
    assert set(run.values("guest.cpu_used").values()) == {7.5}
    assert ("guest.cpu_steal", "") not in {key[2:] for key in run.feed.samples}  # Windows counts none
    assert run.feed.gaps == []
    assert any("typeperf" in command for command in commands)
    assert psutil.wait_procs(started, timeout=20)[1] == []


def test_a_windows_in_another_language_is_said(windows: Callable[[str], Sshd]) -> None:
    server = windows("german")
    with pytest.raises(NoCountersError, match="Keine gueltigen") as caught:
        GuestCollector(address_of(server), by_key(server), GuestOptions(1), ask=yes, time_outs=HASTY).run(
            MemoryFeed(), Stop()
        )
    assert "in another language" in caught.value.meaning
