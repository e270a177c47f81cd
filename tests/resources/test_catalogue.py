"""The shipped catalogue: what it knows, and how it is asked."""

from typing import get_args

import pytest

from resources.catalogue import Catalogue, load_catalogue
from resources.counter_schema import CONVERSIONS, Conversion, EntityKind
from resources.units import UNITS
from sessions.model import Kind

PROMISED = """
cpu.pcpu_used cpu.pcpu_util cpu.core_util cpu.load_1m cpu.load_5m cpu.load_15m
cpu.members cpu.used cpu.run cpu.system cpu.wait cpu.vmwait cpu.ready cpu.idle cpu.overlap cpu.costop
cpu.max_limited cpu.swap_wait cpu.switches cpu.migrates cpu.quantum_expires cpu.wakeups cpu.alloc_min
cpu.alloc_max cpu.alloc_shares cpu.alloc_min_limited cpu.latency cpu.mem_latency cpu.demand cpu.effective_min
cpu.timers cpu.power cpu.last_pcpu
mem.overcommit_1m mem.overcommit_5m mem.overcommit_15m mem.machine mem.kernel mem.nonkernel mem.free
mem.kernel_managed mem.kernel_minfree mem.kernel_reserved mem.kernel_unreserved mem.state mem.pshare_shared
mem.pshare_common mem.pshare_savings mem.swap_used mem.swap_target mem.swap_read mem.swap_write
mem.compressed_total mem.compressed_saved mem.balloon mem.balloon_target mem.balloon_max
mem.size mem.granted mem.consumed mem.target mem.touched mem.touched_write mem.active mem.active_slow
mem.active_fast mem.active_next mem.balloon_driver mem.swapped mem.llswap_read mem.llswap_write mem.compressed
mem.compressed_used mem.compress_rate mem.decompress_rate mem.alloc_min mem.alloc_max mem.alloc_shares
mem.overhead mem.overhead_max mem.shared mem.shared_saved mem.zero mem.cow_hint mem.checkpoint_read
numa.home_nodes numa.migrations numa.remote numa.local numa.local_pct
disk.queue_depth disk.world_queue_depth disk.adapter_queue_depth disk.active disk.queued disk.used_pct
disk.load disk.commands disk.reads disk.writes disk.read_mb disk.write_mb disk.reserves disk.conflicts
disk.device_latency disk.device_latency_read disk.device_latency_write
disk.kernel_latency disk.kernel_latency_read disk.kernel_latency_write
disk.guest_latency disk.guest_latency_read disk.guest_latency_write
disk.queue_latency disk.queue_latency_read disk.queue_latency_write
disk.failed_commands disk.failed_reads disk.failed_writes disk.aborts disk.resets vaai.clone_reads
nfs.active nfs.commands nfs.reads nfs.writes nfs.read_mb nfs.write_mb nfs.latency nfs.latency_read
nfs.latency_write nfs.failed_commands nfs.aborts nfs.resets
vdisk.commands vdisk.reads vdisk.writes vdisk.read_mb vdisk.write_mb vdisk.latency_read vdisk.latency_write
net.link_up net.link_speed net.full_duplex net.packets_tx net.mbits_tx net.packet_size_tx net.packets_rx
net.mbits_rx net.packet_size_rx net.drops_tx net.drops_rx net.actions net.multicast_tx net.multicast_rx
net.broadcast_tx net.broadcast_rx
power.usage power.cap power.pstate_mhz power.cstate power.pstate power.tstate power.aperf_mperf
interrupt.rate interrupt.time
"""


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.mark.parametrize("key", PROMISED.split())
def test_the_keys_that_others_build_on_are_there(catalogue: Catalogue, key: str) -> None:
    counter = catalogue.get(key)
    assert counter is not None
    assert counter.key == key
    assert counter.esxtop


@pytest.mark.parametrize(
    ("cls", "text", "key"),
    [
        ("Group Cpu", "% Ready", "cpu.ready"),
        ("Vcpu", "% Ready", "cpu.ready"),
        ("Vcpu", "Physical Cpu", "cpu.last_pcpu"),
        ("Memory", "Memctl Current MBytes", "mem.balloon"),
        ("Group Memory", "Memctl MBytes", "mem.balloon"),
        ("Group Memory", "Members", "mem.members"),
        ("Memory", "Swap MBytes Write/sec", "mem.swap_write"),
        ("Group Memory", "Swap Written MBytes/sec", "mem.swap_write"),
        ("Physical Disk", "Adapter Q Depth", "disk.adapter_queue_depth"),
        ("Physical Disk Partition", "Average Queue MilliSec/Write", "disk.queue_latency_write"),
        ("Physical Disk SCSI Device", "% Used", "disk.used_pct"),
        ("Group Cpu", "% Used", "cpu.used"),
        ("Physical Disk NFS Volume", "Average Guest MilliSec/Read", "nfs.latency_read"),
        ("RDMA Device", "Packets Received/sec", "rdma.packets_rx"),
        ("Network Port", "Packets Received/sec", "net.packets_rx"),
        ("Network Port", "Average Packet Size  Transmitted (Bytes)", "net.packet_size_tx"),
        ("Network Port", "Average Packet Size Transmitted (Bytes)", "net.packet_size_tx"),
        ("Network Port", "Average  Packet Size Transmitted (Bytes)", "net.packet_size_tx"),
        ("PCPU Power State", "% of aperf/mperf", "power.aperf_mperf"),
        ("Physical Cpu", "% Core Util Time", "cpu.core_util"),
    ],
)
def test_esxtop_spelling(catalogue: Catalogue, cls: str, text: str, key: str) -> None:
    found = catalogue.esxtop(cls, text)
    assert found is not None
    assert found[0].key == key


@pytest.mark.parametrize(
    ("cls", "text"),
    [
        ("Group Cpu", "% ready"),
        ("Group Cpu", "%Ready"),
        ("Physical Disk Partition", "Aborts/sec"),
        ("PCPU Power State", "%C-State C"),
        ("PCPU Power State", "%C-State C1x"),
        ("PCPU Power State", "%C-State P1"),
        ("Nothing", "At all"),
        ("", ""),
    ],
)
def test_what_esxtop_does_not_say_is_unknown(catalogue: Catalogue, cls: str, text: str) -> None:
    assert catalogue.esxtop(cls, text) is None


@pytest.mark.parametrize(
    ("text", "key", "tail"),
    [
        ("%C-State C0", "power.cstate", "C0"),
        ("%P-State P15", "power.pstate", "P15"),
        ("%T-State T7", "power.tstate", "T7"),
    ],
)
def test_a_numbered_counter_adds_its_number_to_the_instance(
    catalogue: Catalogue, text: str, key: str, tail: str
) -> None:
    found = catalogue.esxtop("PCPU Power State", text)
    assert found is not None
    counter, spelling = found
    assert (counter.key, spelling.counter, spelling.tail) == (key, text, tail)


def test_every_percentage_of_a_group_is_per_vcpu(catalogue: Catalogue) -> None:
    # esxtop prints sums over worlds; a sum that met a threshold per vCPU would be a false alarm.
    of_groups = [
        (counter.unit == "%", spelling.per)
        for counter in catalogue.counters()
        for spelling in counter.esxtop
        if spelling.cls == "Group Cpu"
    ]
    assert set(of_groups) == {(True, "vcpu"), (False, "")}
    others = {s.per for c in catalogue.counters() for s in c.esxtop if s.cls != "Group Cpu"}
    assert others == {""}


def test_rates_and_latencies_of_disks_are_invalid_in_the_first_row(catalogue: Catalogue) -> None:
    for counter in catalogue.counters():
        for spelling in counter.esxtop:
            disk = spelling.cls.startswith(("Physical Disk", "Virtual Disk"))
            measured_over_time = counter.kind == "rate" or counter.unit == "ms"
            if disk and measured_over_time:
                assert spelling.io, (counter.key, spelling.cls)
            if not disk:
                assert not spelling.io, (counter.key, spelling.cls)
    depth = catalogue.esxtop("Physical Disk SCSI Device", "Device Q Depth")
    assert depth is not None
    assert not depth[1].io


def test_vaai_counts_since_boot_and_is_read_as_a_rate(catalogue: Catalogue) -> None:
    names = {s.counter for c in catalogue.counters() for s in c.esxtop if s.cumulative}
    assert names == {
        "CReads", "CWrites", "CFailed", "ATS", "ATS Failed",
        "Zeros", "Zeros Failed", "Delete", "Deletes Failed",
    }  # fmt: skip
    assert {c.unit for c in catalogue.counters() for s in c.esxtop if s.cumulative} == {"/s"}


def test_text_is_marked_alike_in_unit_and_spelling(catalogue: Catalogue) -> None:
    for counter in catalogue.counters():
        for spelling in counter.esxtop:
            assert spelling.text == (counter.unit == "text"), counter.key
            assert spelling.text == (counter.kind == "text"), counter.key
    assert {c.unit for c in catalogue.counters()} <= set(UNITS)


def test_special_numbers_have_words(catalogue: Catalogue) -> None:
    state, limit = catalogue.get("mem.state"), catalogue.get("cpu.alloc_max")
    assert state
    assert limit
    assert [state.value_name(number) for number in range(5)] == ["high", "clear", "soft", "hard", "low"]
    assert limit.value_name(-1.0) == "unlimited"
    assert limit.value_name(2400.0) is None
    assert state.value_name(1.5) is None
    assert state.value_name(float("nan")) is None
    assert state.value_name(float("inf")) is None


def test_one_vcenter_name_may_mean_several_counters(catalogue: Catalogue) -> None:
    meanings = {
        (counter.key, twin.on, twin.instance) for counter, twin in catalogue.vcenter("cpu.usage.average")
    }
    assert meanings == {
        ("cpu.pcpu_used", "host", ""),
        ("cpu.pcpu_used", "host", "pcpu"),
        ("cpu.used", "vm", ""),
    }
    (ready, _) = catalogue.vcenter("cpu.ready.summation")
    assert (ready[0].key, ready[1].conversion, ready[1].level) == ("cpu.ready", "ms_of_interval_per_vcpu", 1)
    assert catalogue.vcenter("no.such.average") == ()


UNIT_OF_CONVERSION = {
    "hundredths": "percent",
    "ms_of_interval": "millisecond",
    "ms_of_interval_per_vcpu": "millisecond",
    "kb_to_mb": "kiloBytes",
    "kbps_to_mbps": "kiloBytesPerSecond",
    "kbps_to_mbits": "kiloBytesPerSecond",
    "us_to_ms": "microsecond",
    "count_per_interval": "number",
    "dropped_of_packets": "number",
    "by_word": "number",
}
UNIT_AFTER = {
    "hundredths": {"%"},
    "ms_of_interval": {"%"},
    "ms_of_interval_per_vcpu": {"%"},
    "kb_to_mb": {"MB"},
    "kbps_to_mbps": {"MB/s"},
    "kbps_to_mbits": {"Mbit/s"},
    "us_to_ms": {"ms"},
    "count_per_interval": {"/s"},
    "dropped_of_packets": {"%"},
    "by_word": {"state"},
}
SAME = {("millisecond", "ms"), ("number", "/s"), ("number", "count"), ("watt", "W")}


def test_a_conversion_fits_the_units_on_both_sides(catalogue: Catalogue) -> None:
    for counter in catalogue.counters():
        for twin in counter.vcenter:
            place = (counter.key, twin.name)
            if twin.conversion == "same":
                assert (twin.unit, counter.unit) in SAME, place
            elif twin.conversion != "related":
                assert twin.unit == UNIT_OF_CONVERSION[twin.conversion], place
                assert counter.unit in UNIT_AFTER[twin.conversion], place
            assert twin.on in {*counter.entities, "host"} or twin.instance == "nic", place
            if twin.conversion == "ms_of_interval_per_vcpu":
                assert twin.instance == "", place


def test_every_conversion_is_explained() -> None:
    assert set(CONVERSIONS) == set(get_args(Conversion))


def test_entity_kinds_are_the_session_models() -> None:
    # resources lies below sessions and cannot import it.
    assert set(get_args(EntityKind)) == set(get_args(Kind))


def test_meanings_are_sentences_for_people(catalogue: Catalogue) -> None:
    for counter in catalogue.counters():
        assert counter.meaning[0].isupper() or counter.meaning.startswith("vSAN"), counter.key
        assert counter.meaning.endswith("."), counter.key
        assert len(counter.meaning) < 260, counter.key
        assert not counter.source.endswith("."), counter.key
        assert len(counter.label) <= 40, counter.key


def test_a_label_says_one_thing_of_an_entity(catalogue: Catalogue) -> None:
    seen: dict[tuple[str, str], str] = {}
    for counter in catalogue.counters():
        for kind in counter.entities:
            other = seen.setdefault((kind, counter.label), counter.key)
            assert other == counter.key or other.split(".")[0] != counter.key.split(".")[0], counter.key


def test_counters_named_in_a_meaning_exist(catalogue: Catalogue) -> None:
    areas = {counter.key.split(".")[0] for counter in catalogue.counters()}
    for counter in catalogue.counters():
        for word in counter.meaning.replace(",", " ").replace(")", " ").replace("(", " ").split():
            name = word.strip(".:;")
            if "." in name and name.split(".")[0] in areas:
                assert name in catalogue, (counter.key, name)
