"""Two replies make a sample: growth on each object's own clock, wraps, restarts, and who came and went."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from collectors.esxtop_service.counter_info import read_counter_info
from collectors.esxtop_service.objects import INSTANCES
from collectors.esxtop_service.reply import Reply, decode
from collectors.esxtop_service.sampling import Sample, Sampler
from resources.esxtop_columns import load_esxtop_columns

INFO = read_counter_info("""\
|Server|TimeStampInUsec,U64|Time,S64|
|LCPU|LCPUID,U32|UsedTimeInUsec,U64|HaltTimeInUsec,U64|CoreHaltTimeInUsec,U64|ElapsedTimeInUsec,U64|
|PMem|FreeMemInKB,U32|SwapReadInKB,U32|
|SchedGroup|GroupID,U32|GroupName,STR|IsVM,B|VMName,STR|HomeNodes,U32|NumOfCPUClients,U32|HasMemClient,B|
|CPUClient|CPUClientID,U32|NumOfVCPUs,U32|
|VCPU|VCPUID,U32|WorldName,STR|UpTimeInUsec,U64|RunTimeInUsec,U64|ReadyTimeInUsec,U64|\
TotalWaitTimeInUsec,U64|IdleTimeInUsec,U64|NumOfWorldSwitches,U32|
|VMem|MemClientID,U32|IsValid,B|BalloonSizeInKB,U32|
|SCSIDevice|DeviceName,STR|BlockSizeInBytes,U32|QueueDepth,U32|NumOfActiveCommands,U32|NumOfQueuedCommands,U32|\
NumOfCommands,U64|NumOfBlocksRead,U64|IssueTimeInUsec,U64|QueueTimeInUsec,U64|TotalTimeInUsec,U64|NumOfWorlds,U32|
|WorldPerDev|WorldID,U32|NumOfCommands,U64|NumOfBlocksRead,U64|
|Path|PathName,STR|DeviceName,STR|NumOfCommands,U64|IssueTimeInUsec,U64|
""")


def reply(time_s: int, *lines: str, after_us: int = 0) -> Reply:
    head = f"==COUNTER-VALUE==\n|Server|{time_s * 1_000_000 + after_us}|{1_570_000_000 + time_s}|\n"
    return decode(head + "".join(f"{line}\n" for line in lines), INFO)


def sample(*replies: Reply) -> Sample:
    sampler = Sampler("esx01")
    found = [sampler.add(one) for one in replies][-1]
    assert found is not None
    return found


def values(found: Sample) -> dict[str, float | None]:
    """``Vcpu(7:web01:9:vmx)\\% Run`` → value, None where it is absent."""
    both = zip(found.shape.paths, found.values.tolist(), strict=True)
    return {
        f"{path.cls}({path.instance})\\{path.counter}": value if value == value else None
        for path, value in both
    }


def some(found: Mapping[str, float | None], part: str) -> dict[str, float | None]:
    return {
        name: value if value is None else round(value, 6) for name, value in found.items() if part in name
    }


def world(
    up: int, run: int, ready: int, switches: int = 0, name: str = "vmx-vcpu-0:web01"
) -> tuple[str, ...]:
    wait = up - run - ready
    return (
        "|SchedGroup|7|vm.9|1|web01|2|1|0|",
        "|CPUClient|9|1|",
        f"|VCPU|9|{name}|{up}|{run}|{ready}|{wait}|{wait // 2}|{switches}|",
    )


def test_the_first_reply_is_no_sample() -> None:
    assert Sampler("esx01").add(reply(100, "|LCPU|0|0|0|0|0|")) is None


def test_a_world_is_measured_on_its_own_clock() -> None:
    """Five seconds between the replies, but the scheduler's numbers are from four seconds apart."""
    found = values(sample(reply(100, *world(0, 0, 0)), reply(105, *world(4_000_000, 1_000_000, 400_000, 80))))
    assert some(found, "Vcpu(7:web01:9:vmx-vcpu-0:web01)") == {
        "Vcpu(7:web01:9:vmx-vcpu-0:web01)\\% Run": 25.0,
        "Vcpu(7:web01:9:vmx-vcpu-0:web01)\\% Wait": 65.0,
        "Vcpu(7:web01:9:vmx-vcpu-0:web01)\\% Ready": 10.0,
        "Vcpu(7:web01:9:vmx-vcpu-0:web01)\\% Idle": 32.5,
        "Vcpu(7:web01:9:vmx-vcpu-0:web01)\\Switches/sec": 20.0,
        "Vcpu(7:web01:9:vmx-vcpu-0:web01)\\% VmWait": 32.5,
    }
    assert found["Group Cpu(7:web01)\\Members"] == 1


def test_a_groups_percentages_are_sums_over_its_worlds() -> None:
    def two(up: int, run: int) -> tuple[str, ...]:
        return (
            "|SchedGroup|7|vm.9|1|web01|2|2|0|",
            *("|CPUClient|9|1|", f"|VCPU|9|vmx|{up}|{run}|0|{up - run}|0|0|"),
            *("|CPUClient|10|1|", f"|VCPU|10|vmx-vcpu-0:web01|{2 * up}|{run}|0|{2 * up - run}|0|0|"),
        )

    found = values(sample(reply(100, *two(0, 0)), reply(104, *two(2_000_000, 1_000_000))))
    assert found["Group Cpu(7:web01)\\% Run"] == 75.0
    assert found["Group Cpu(7:web01)\\Members"] == 2
    assert (
        found["Group Cpu(7:web01)\\% VmWait"] == 75.0
    )  # of the vCPU alone, as that of helpers means nothing


def test_processors_are_what_is_not_halted_and_the_total_is_their_mean() -> None:
    found = values(
        sample(
            reply(100, "|LCPU|0|0|0|0|0|", "|LCPU|1|0|0|0|0|"),
            reply(105, "|LCPU|0|5000000|1000000|500000|5000000|", "|LCPU|1|0|5000000|500000|5000000|"),
        )
    )
    assert some(found, "Util") == {
        "Physical Cpu(0)\\% Util Time": 80.0,
        "Physical Cpu(0)\\% Core Util Time": 90.0,
        "Physical Cpu(1)\\% Util Time": 0.0,
        "Physical Cpu(1)\\% Core Util Time": 90.0,
        "Physical Cpu(_Total)\\% Util Time": 40.0,
        "Physical Cpu(_Total)\\% Core Util Time": 90.0,
    }


def device(commands: int, issue: int, total: int, queue: int = 0, blocks: int = 0) -> str:
    return f"|SCSIDevice|naa.1|4096|32|8|4|{commands}|{blocks}|{issue}|{queue}|{total}|0|"


def test_kernel_latency_is_the_total_without_the_device() -> None:
    found = values(
        sample(reply(100, device(0, 0, 0)), reply(104, device(400, 800_000, 880_000, 40_000, 256)))
    )
    assert some(found, "SCSI") == {
        "Physical Disk SCSI Device(naa.1)\\Average Driver MilliSec/Command": 2.0,
        "Physical Disk SCSI Device(naa.1)\\Average Kernel MilliSec/Command": 0.2,
        "Physical Disk SCSI Device(naa.1)\\Average Guest MilliSec/Command": 2.2,
        "Physical Disk SCSI Device(naa.1)\\Average Queue MilliSec/Command": 0.1,
        "Physical Disk SCSI Device(naa.1)\\Device Q Depth": 32.0,
        "Physical Disk SCSI Device(naa.1)\\Active Commands": 8.0,
        "Physical Disk SCSI Device(naa.1)\\Queued Commands": 4.0,
        "Physical Disk SCSI Device(naa.1)\\% Used": 25.0,
        "Physical Disk SCSI Device(naa.1)\\Load": 0.375,
    } | some(found, "naa.1)\\Co") | some(found, "naa.1)\\MB")
    assert found["Physical Disk SCSI Device(naa.1)\\Commands/sec"] == 100.0


def test_a_queues_time_that_exceeds_the_total_is_no_latency() -> None:
    found = values(sample(reply(100, device(0, 0, 0)), reply(105, device(400, 800_000, 880_000, 7_000_000))))
    assert found["Physical Disk SCSI Device(naa.1)\\Average Queue MilliSec/Command"] is None
    assert found["Physical Disk SCSI Device(naa.1)\\Average Kernel MilliSec/Command"] == pytest.approx(0.2)


def test_where_nothing_was_done_a_latency_is_zero_as_esxtop_prints_it() -> None:
    found = values(sample(reply(100, device(9, 9, 9)), reply(105, device(9, 9, 9))))
    assert found["Physical Disk SCSI Device(naa.1)\\Average Driver MilliSec/Command"] == 0.0


def test_blocks_are_those_of_the_device_also_for_a_world_on_it() -> None:
    def of(blocks: int) -> tuple[str, ...]:
        return ("|SCSIDevice|naa.1|4096|32|0|0|0|0|0|0|0|1|", f"|WorldPerDev|77|{blocks}|{blocks}|")

    found = values(sample(reply(100, *of(0)), reply(104, *of(1024))))
    assert some(found, "naa.1-77)") == {
        "Physical Disk Per-Device-Per-World(naa.1-77)\\Commands/sec": 256.0,
        "Physical Disk Per-Device-Per-World(naa.1-77)\\MBytes Read/sec": 1.0,
    }


def test_an_adapter_does_what_its_paths_do() -> None:
    def of(first: int, second: int) -> tuple[str, ...]:
        return (
            f"|Path|vmhba1:C0:T0:L1|naa.1|{first}|{first * 1000}|",
            f"|Path|vmhba1:C0:T1:L1|naa.1|{second}|{second * 4000}|",
        )

    found = values(sample(reply(100, *of(0, 0)), reply(105, *of(100, 200))))
    assert some(found, "Adapter(vmhba1)") == {
        "Physical Disk Adapter(vmhba1)\\Commands/sec": 60.0,
        "Physical Disk Adapter(vmhba1)\\Average Driver MilliSec/Command": 3.0,
    }


def test_a_count_of_32_bits_that_wraps_goes_on() -> None:
    nearly = 2**32 - 50
    found = values(sample(reply(100, *world(0, 0, 0, nearly)), reply(105, *world(5_000_000, 0, 0, 50))))
    assert found["Vcpu(7:web01:9:vmx-vcpu-0:web01)\\Switches/sec"] == 20.0
    found = values(sample(reply(100, f"|PMem|1024|{2**32 - 1024}|"), reply(104, "|PMem|1024|3072|")))
    assert found["Memory()\\Swap MBytes Read/sec"] == 1.0


def test_a_count_that_fell_is_absent_not_negative() -> None:
    found = values(sample(reply(100, "|PMem|1024|900000|"), reply(105, "|PMem|2048|10|")))
    assert found["Memory()\\Swap MBytes Read/sec"] is None
    assert found["Memory()\\Free MBytes"] == 2.0


def test_a_device_that_came_back_has_no_rates_once() -> None:
    """Its commands count from 0 again: the other counts can't be compared either, even where they grew."""
    found = values(sample(reply(100, device(900, 1, 1)), reply(105, device(10, 800, 800))))
    assert found["Physical Disk SCSI Device(naa.1)\\Commands/sec"] is None
    assert found["Physical Disk SCSI Device(naa.1)\\Average Driver MilliSec/Command"] is None
    assert found["Physical Disk SCSI Device(naa.1)\\Device Q Depth"] is None


def test_a_world_whose_clock_stands_still_has_no_values() -> None:
    """The same snapshot was told twice."""
    found = values(sample(reply(100, *world(10, 1, 1)), reply(105, *world(10, 1, 1))))
    assert set(some(found, "Vcpu(").values()) == {None}


def test_who_came_has_no_rates_and_who_went_no_columns() -> None:
    other = ("|SchedGroup|8|sh.90|0|sh.90|0|1|0|", "|CPUClient|90|1|", "|VCPU|90|sh|10|10|0|0|0|0|")
    found = values(sample(reply(100, *other), reply(105, *world(5_000_000, 5_000_000, 0))))
    assert some(found, "sh.90") == {}
    assert found["Vcpu(7:web01:9:vmx-vcpu-0:web01)\\% Run"] is None
    assert found["Group Cpu(7:web01)\\% Run"] is None
    assert found["Group Cpu(7:web01)\\Members"] == 1


def test_who_stayed_is_found_wherever_it_stands_now() -> None:
    first = ("|SchedGroup|8|sh.90|0|sh.90|0|1|0|", "|CPUClient|90|1|", "|VCPU|90|sh|0|0|0|0|0|0|")
    found = values(sample(reply(100, *first, *world(0, 0, 0)), reply(105, *world(5_000_000, 1_000_000, 0))))
    assert found["Vcpu(7:web01:9:vmx-vcpu-0:web01)\\% Run"] == 20.0


def test_a_host_that_booted_begins_anew() -> None:
    sampler = Sampler("esx01")
    assert sampler.add(reply(100_000, "|PMem|1024|5|")) is None
    assert sampler.add(reply(60, "|PMem|1024|1|")) is None
    found = sampler.add(reply(65, "|PMem|1024|5121|"))
    assert found is not None
    assert values(found)["Memory()\\Swap MBytes Read/sec"] == 1.0


def test_the_same_reply_twice_is_one() -> None:
    sampler = Sampler("esx01")
    sampler.add(reply(100, "|PMem|1024|5|"))
    assert sampler.add(reply(100, "|PMem|1024|5|")) is None


def test_time_is_the_hosts_and_the_interval_its_boot_clock() -> None:
    found = sample(reply(100, "|PMem|1024|5|"), reply(105, "|PMem|1024|5|", after_us=250_000))
    assert (found.t_ms, found.interval_s) == (1_570_000_105_000, 5.25)


def test_memory_that_is_marked_as_not_valid_counts_too() -> None:
    group = (
        "|SchedGroup|8|sh.90|0|sh.90|0|1|1|",
        "|CPUClient|90|1|",
        "|VCPU|90|sh|0|0|0|0|0|0|",
        "|VMem|90|0|2048|",
    )
    assert values(sample(reply(1, *group), reply(2, *group)))["Group Memory(8:sh.90)\\Memctl MBytes"] == 2.0


def test_a_home_node_is_the_bit_of_a_mask() -> None:
    def home(mask: int) -> float | None:
        group = (f"|SchedGroup|8|sh.90|0|sh.90|{mask}|1|1|", "|CPUClient|90|1|", "|VCPU|90|sh|0|0|0|0|0|0|")
        both = (*group, "|VMem|90|1|2048|")
        return values(sample(reply(1, *both), reply(2, *both)))["Group Memory(8:sh.90)\\Numa Home Nodes"]

    assert [home(mask) for mask in (1, 2, 8, 3, 0)] == [0, 1, 3, None, None]


def test_every_table_has_its_reader() -> None:
    assert {table.instances for table in load_esxtop_columns().tables} == INSTANCES
