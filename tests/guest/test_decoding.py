"""What a guest's loop prints, decoded: counts that start again, devices that come and go, hostile text."""

from __future__ import annotations

import pytest

from collectors.guest.about import read_about
from collectors.guest.frames import FrameReader
from collectors.guest.rates import Machine, Sample, Sampler
from collectors.guest.readings import LinuxReader, Reading
from resources.failures import SourceError
from resources.guest_counters import load_guest_counters

COUNTERS = load_guest_counters()
X86 = Machine("x86_64", 4096)
I686 = Machine("i686", 4096)


def reading(text: str, uptime: float = 100.0, boot: str = "one") -> Reading:
    """A frame of these lines of /proc, the first word naming the file."""
    lines = [f"/proc/uptime:{uptime:.2f} 1.00", f"/proc/sys/kernel/random/boot_id:{boot}"]
    for line in filter(None, text.strip("\n").splitlines()):
        file, _, rest = line.partition("| ")
        lines.append(f"/proc/{file.strip()}:{rest}")
    return LinuxReader(COUNTERS).read(lines)


def sample(
    before: str, after: str, *, seconds: float = 5, machine: Machine = X86, boot: str = "one"
) -> Sample:
    sampler = Sampler(COUNTERS)
    assert sampler.add(reading(before), machine) is None
    found = sampler.add(reading(after, 100 + seconds, boot), machine)
    assert found is not None
    return found


def values(before: str, after: str, machine: Machine = X86) -> dict[tuple[str, str], float]:
    return dict(sample(before, after, machine=machine).values)


def test_shares_of_each_cpus_own_time() -> None:
    found = values(
        """
        stat| cpu  0 0 0 0 0 0 0 0 0 0
        stat| cpu0 0 0 0 0 0 0 0 0 0 0
        """.replace("        ", ""),
        """
        stat| cpu  100 20 50 600 30 5 5 190 40 0
        stat| cpu0 0 0 0 100 0 0 0 100 0 0
        """.replace("        ", ""),
    )
    assert found["guest.cpu_used", ""] == 18.0
    assert found["guest.cpu_user", ""] == 12.0
    assert found["guest.cpu_iowait", ""] == 3.0
    assert found["guest.cpu_steal", ""] == 19.0
    assert found["guest.cpu_steal", "cpu0"] == 50.0


def test_a_count_that_falls_leaves_what_needs_it_absent() -> None:
    """The kernel may take back I/O wait."""
    found = values("stat| cpu  0 0 0 0 100 0 0 0", "stat| cpu  100 0 0 400 90 0 0 0")
    assert not any(key.startswith("guest.cpu_used") for key, _ in found)


DISK = "diskstats|    8       0 sda {} 0 0 {} 0 0 0 0 0 0 0"


@pytest.mark.parametrize(
    ("before", "after", "machine", "reads", "latency"),
    [
        ((0, 0), (500, 1000), X86, 100.0, 2.0),
        ((1000, 4_294_967_290), (1010, 4), X86, 2.0, 1.0),  # the milliseconds have 32 bits everywhere
        ((4_294_967_290, 0), (4, 10), I686, 2.0, 1.0),  # and on such a machine all counts have
        ((4_294_967_290, 0), (4, 10), X86, None, None),  # here it is another disk of that name
        ((50, 10), (50, 10), X86, 0.0, None),  # no read has no latency
    ],
)
def test_counts_that_start_again(
    before: tuple[int, int],
    after: tuple[int, int],
    machine: Machine,
    reads: float | None,
    latency: float | None,
) -> None:
    found = values(DISK.format(*before), DISK.format(*after), machine)
    assert found.get(("guest.disk_reads", "sda")) == reads
    assert found.get(("guest.disk_read_latency", "sda")) == latency


def test_disks_come_and_go_and_parts_of_them_are_left_out() -> None:
    some = (
        "diskstats|    8       1 sda1 1 0 0 0 0 0 0 0 0 0 0\ndiskstats|    7   0 loop0 1 0 0 0 0 0 0 0 0 0 0"
    )
    found = values(DISK.format(1, 1), DISK.format(2, 2).replace("sda", "sdb") + "\n" + some)
    assert not any(key.startswith("guest.disk") for key, _ in found)


def test_interfaces_of_containers_are_left_out() -> None:
    line = "net/dev| {}: {} 1 0 0 0 0 0 0 {} 1 0 0 0 0 0 0"
    names = ("ens192", "lo", "veth12ab")
    found = values(
        "\n".join(line.format(name, 0, 0) for name in names),
        "\n".join(line.format(name, 1_250_000, 625_000) for name in names),
    )
    assert {instance for key, instance in found if key == "guest.net_rx"} == {"ens192"}
    assert (found["guest.net_rx", "ens192"], found["guest.net_tx", "ens192"]) == (2.0, 1.0)


def test_swapping_is_in_pages_of_the_guest() -> None:
    before, after = "vmstat| pswpin 0\nvmstat| pgmajfault 0", "vmstat| pswpin 1280\nvmstat| pgmajfault 10"
    assert values(before, after)["guest.swap_in", ""] == 1.0
    assert values(before, after, Machine("aarch64", 65536))["guest.swap_in", ""] == 16.0
    unknown = values(before, after, Machine("aarch64"))
    assert ("guest.swap_in", "") not in unknown
    assert unknown["guest.major_faults", ""] == 2.0


def test_pressure_is_never_more_than_all_of_the_time() -> None:
    some = "pressure/cpu| some avg10=1.00 avg60=1.00 avg300=1.00 total={}"
    assert values(some.format(0), some.format(2_500_000))["guest.cpu_pressure", ""] == 50.0
    assert values(some.format(0), some.format(5_040_000))["guest.cpu_pressure", ""] == 100.0


def test_memory_is_as_it_is_now() -> None:
    told = {"MemTotal": 2_097_152, "MemAvailable": 524_288, "SwapTotal": 0, "SwapFree": 0}
    text = "\n".join(f"meminfo| {name}:  {kb} kB" for name, kb in told.items())
    found = values(text, text)
    assert (found["guest.mem_total", ""], found["guest.mem_used", ""]) == (2048.0, 75.0)
    assert found["guest.swap_used", ""] == 0.0
    assert ("guest.mem_cached", "") not in found  # what it does not tell is no zero


def test_nothing_is_compared_over_a_reboot() -> None:
    sampler = Sampler(COUNTERS)
    assert sampler.add(reading("stat| ctxt 900", 500.0, "one"), X86) is None
    assert sampler.add(reading("stat| ctxt 1000", 510.0, "two"), X86) is None
    found = sampler.add(reading("stat| ctxt 1050", 515.0, "two"), X86)
    assert found is not None
    assert found.values["guest.context_switches", ""] == 10.0


def frames(text: bytes, size: int = 7) -> list[tuple[str, int]]:
    """The frames of a text that comes in small pieces: kind and number of lines."""
    reader = FrameReader("app01", 10_000)
    found = [frame for at in range(0, len(text), size) for frame in reader.feed(text[at : at + size])]
    return [(frame.kind, len(frame.lines)) for frame in found]


MARK = b"hyperscope-guest "


def test_frames_in_pieces_and_a_greeting_before_them() -> None:
    text = b"Welcome!\n" + MARK + b"about\na\nb\n" + MARK + b"sample\n1\n" + MARK + b"end\n"
    assert frames(text) == [("about", 2), ("sample", 1)]
    assert frames(text, 10_000) == frames(text, 1)


def test_a_sample_that_was_cut_off_is_none() -> None:
    assert frames(MARK + b"sample\n1\n" + MARK + b"sample\n1\n2\n" + MARK + b"end\n") == [("sample", 2)]


@pytest.mark.parametrize("flood", [b"x" * 20_000, b"x\n" * 20_000, MARK + b"sample\n" + b"1\n" * 20_000])
def test_a_flood_is_refused(flood: bytes) -> None:
    with pytest.raises(SourceError, match="prints more than any guest has to tell"):
        FrameReader("app01", 10_000).feed(flood)


def test_a_guest_that_invents_devices_is_refused() -> None:
    many = "\n".join(f"stat| cpu{number} 1 1 1 1 1 1 1 1" for number in range(5000))
    with pytest.raises(SourceError, match="more CPUs and devices than any machine has"):
        reading(many)


def test_hostile_numbers_and_names_are_left_out() -> None:
    text = "\n".join(
        ["stat| ctxt nan", "stat| processes 1e308", f"vmstat| pgfault {'9' * 400}", "net/dev| \x1b[2J: 1 1 1"]
    )
    found = reading(text)
    assert {name: rows for name, rows in found.tables.items() if name != "uptime"} == {
        "stat": {"": {}}, "vm": {"": {}},
    }  # fmt: skip
    assert all("\x1b" not in instance for rows in found.tables.values() for instance in rows)


def test_no_linux() -> None:
    with pytest.raises(SourceError, match="does not tell the time since its boot"):
        LinuxReader(COUNTERS).read(["/proc/stat:cpu  1 2 3 4"])


def test_who_it_is() -> None:
    about = read_about(
        [
            "kernel:Linux 5.14.0-427.el9", "machine:x86_64", "name:app01.lab", "page:4096",
            'PRETTY_NAME="Rocky Linux 9.4 (Blue Onyx)"',
            "/sys/class/dmi/id/product_uuid:1C3D4D56-2B1A-9F8E-7D6C-112233445566",
            "/sys/class/dmi/id/product_serial:VMware-56 4d 3d 1c 1a 2b 8e 9f-7d 6c 11 22 33 44 55 66",
            "/sys/class/dmi/id/sys_vendor:VMware, Inc.",
            "/sys/class/net/ens192/address:00:50:56:AA:BB:CC", "/sys/class/net/lo/address:00:00:00:00:00:00",
            "/sys/class/net/ens192/speed:10000", "/sys/class/net/down/speed:-1",
            "/sys/block/sda/size:83886080", "/sys/block/sda/device/wwid:naa.6000c29f1234567890abcdef01234567",
        ]
    )  # fmt: skip
    assert (about.uuid, about.smbios) == (
        "564d3d1c-1a2b-8e9f-7d6c-112233445566",
        "1c3d4d56-2b1a-9f8e-7d6c-112233445566",
    )
    assert about.macs == {"ens192": "00:50:56:aa:bb:cc"}
    assert about.speeds == {"ens192": 10000.0}
    assert (about.sizes, about.disks) == ({"sda": 40960.0}, {"sda": "naa.6000c29f1234567890abcdef01234567"})
    assert (about.system, about.machine) == ("Rocky Linux 9.4 (Blue Onyx)", X86)


def test_what_it_says_of_itself_is_shown_as_text_alone() -> None:
    about = read_about(["name:app\x1b]0;owned\x07", "kernel:" + "x" * 10_000, "page:-5", "machine:"])
    assert "\x1b" not in about.name
    assert len(about.kernel) <= 120
    assert about.machine == Machine("", 0)
