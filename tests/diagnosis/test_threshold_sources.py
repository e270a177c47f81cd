"""The numbers of the cards and of the classes of storage against what the notes say of their sources.

The notes (shared/domain) are not part of the repository: where they are missing nothing can be compared, and
the test says so.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from resources.problem_cards import load_problems

NOTES = Path(__file__).resolve().parents[3] / "shared" / "domain"

OURS = ("DESIGN", "vSphere", "KERNEL")
"""First words of sources that the notes need not tell: our own numbers, and meanings of settings."""

_TAGS = re.compile(r"EPP|VMN|OPS|G41-F[0-9]+|MON[0-9]+|KB-[0-9]+|KBVSAN|DCDAN|VMO|DEV")
_AS_THE_NOTES = {"DCDAN": "datacenterdan", "KBVSAN": "KB-VSAN"}


@dataclass(frozen=True)
class Cited:
    """A number with the source that it names."""

    value: float
    source: str


Told = tuple[str, str, float]
"""Where the notes tell it (a row of the master table, a row of thresholds.csv by its id, a heading, a
correction of modern.md), their words, and the number that they are."""

READY = ("| %RDY per vCPU", "5 %", 5.0)
DEVICE = ("| DAVG", "10 ms avg", 10.0)
PEAK = ("| DAVG", "20 ms peak", 20.0)
FLASH = ("| DAVG", "Flash: >1–2 ms", 1.0)
VIRTUAL_DISK = ("P29b", "OPS(10 SLA)", 10.0)
GUEST = ("| GAVG", "25 ms", 25.0)
FULL_HOST = ("P02c", ",>,80,90,", 80.0)
SWAPS = ("| SWR/s, SWW/s", "guide: any >0", 0.0)

SAID: dict[str, Told] = {
    "waits": READY,
    "ready_warn": READY,
    "ready_crit": ("| %RDY per vCPU", "10 %", 10.0),
    "costop_warn": ("| %CSTP per vCPU", "3 % (EPP,VMN)", 3.0),
    "limited_warn": ("| %MLMTD", "≥1 %", 1.0),
    "cpu.limit limited_warn": ("| %MLMTD", ">0", 0.0),
    "pool.cpu limited_warn": ("| %MLMTD", ">0", 0.0),
    "limited_crit": ("| %MLMTD", "≥1 %", 1.0),
    "vcpu_ratio": ("| vCPU:pCPU", "400 %", 4.0),
    "cpu.host_saturated usage_warn": ("| Host cpu.usage", "avg 75 %", 75.0),
    "cpu.host_saturated usage_crit": ("| Host cpu.usage", "peak 90 %", 90.0),
    "cpu.ready_high usage_warn": ("| Host cpu.usage", "avg 75 %", 75.0),
    "vmotion.slow cpu_busy": ("| Host cpu.usage", "peak 90 %", 90.0),
    "util_warn": FULL_HOST,
    "util_crit": ("P02c", ",>,80,90,", 90.0),
    "cpu.guest_saturated used_warn": ("| VM cpu.usage", "avg 75 %", 75.0),
    "cpu.guest_saturated thread_loss": ("| %LAT_C / cpu.latency", "≤37.5 %", 0.375),
    "cpu.guest_saturated used_crit": ("| VM cpu.usage", "peak 90 %", 90.0),
    "wait_crit": ("| %SWPWT", "5 %", 5.0),
    "local_warn": ("| N%L", "<80 %", 80.0),
    "balloon_warn": ("| MCTLSZ", "≥1 MB", 1.0),
    "mem.limit taken_mb": ("| MCTLSZ", "≥1 MB", 1.0),
    "taken": ("| SWCUR", "≥1 MB", 1.0),
    "swapped_warn": ("| SWCUR", "≥1 MB", 1.0),
    "rate_warn": SWAPS,
    "cluster.drs_score swapping": SWAPS,
    "rate_crit": ("| SWR/s, SWW/s", "≥1 MB/s", 1.0),
    "mem.compressing rate_warn": ("| ZIP/s, UNZIP/s", "guide: any >0", 0.0),
    "mem.compressing rate_crit": ("| ZIP/s, UNZIP/s", "≥1;", 1.0),
    "mem.latency latency_warn": ("| mem.latency", "OPS (SLA 1 %)", 1.0),
    "mem.ballooning latency_crit": ("P14", "mem.latency>1", 1.0),
    "state_clear": ("| Host mem state", "clear 100 %", 1.0),
    "soft": ("P13", ",>=,soft,hard,any sample,", 2.0),
    "mem.host_state hard": ("P13", ",>=,soft,hard,any sample,", 3.0),
    "soft_free": ("| Host mem state", "soft 64 %", 0.64),
    "plenty": ("| Host mem usage", "free ≤6 %", 0.06),
    "mem.latency plenty": ("| Host mem usage", "free ≤6 %", 6.0),
    "mem.host_demand used_warn": ("| Host mem usage", "≥94 %", 94.0),
    "mem.tiering active_warn": ("modern.md ### 1.3", "> 50 % DRAM (warn)", 50.0),
    "mem.tiering slow_ms": ("modern.md ### 1.3", "NVMe read latency > 200 µs", 0.2),
    "drops_warn": ("| %DRPTX/%DRPRX", ">0", 0.0),
    "drops_crit": ("| %DRPTX/%DRPRX", "≥1 %", 1.0),
    "storage.device_latency loss_warn": ("| %DRPTX/%DRPRX", "0.5 % external", 0.5),
    "net.errors half": ("### P40", "100 Mb/half", 0.5),
    "net.errors slow": ("### P40", "100 Mb/half", 100.0),
    "many": ("| ABRTS/s, RESETS/s", "≥1", 1.0),
    "storage.reservation_conflicts any": ("P32", ",>,0,1/s,2 of 15,KB-1005009", 0.0),
    "latency_warn": DEVICE,
    "device_ok": DEVICE,
    "latency_ok": DEVICE,
    "storage.sioc_throttling slow_ms": DEVICE,
    "storage.device_latency latency_crit": PEAK,
    "flash_warn": ("| DAVG", "Flash: >1–2 ms", 2.0),
    "felt_ms": FLASH,
    "slow_ms": FLASH,
    "kernel_crit": ("| KAVG", "2 ms (EPP)", 2.0),
    "kernel_warn": ("| KAVG", "2 ms (EPP)", 2.0),
    "storage.queueing kernel_warn": ("| KAVG", "MON67: best 0–1 ms", 1.0),
    "queued_warn": ("| QUED", "≥1", 1.0),
    "latency_crit": GUEST,
    "storage.nfs_latency latency_warn": ("| GAVG", "20 ms", 20.0),
    "cpu.vmwait latency_high": VIRTUAL_DISK,
    "storage.first_write latency_warn": VIRTUAL_DISK,
    "storage.snapshots latency_warn": VIRTUAL_DISK,
    "storage.vm_latency latency_warn": VIRTUAL_DISK,
    "svmotion.impact latency_warn": VIRTUAL_DISK,
    "vsan.congestion slow_ms": VIRTUAL_DISK,
    "vsan.resync slow_ms": VIRTUAL_DISK,
    "default_ms": ("| SIOC latency trigger", "30 ms default (5–100)", 30.0),
    "deep": ("| Snapshots", ">2–3 deep", 3.0),
    "some": ("| Snapshots", ">2–3 deep", 2.0),
    "old_h": ("| Snapshots", ">72 h", 72.0),
    "session": ("| vMotion", "<250 Mbps", 250.0),
    "fast_link": ("### P45", "link <10 GbE/shared (VMO", 10000.0),
    "congested": ("| vSAN congestion", "OPS >60 on a disk group", 60.0),
    "severe": ("| vSAN congestion", "200 (max 255)", 200.0),
    "vsan.network limit": ("modern.md ## 7", "0.1/0.5/1.0 % are the vendor's steps", 0.1),
    "late_ms": ("modern.md | C24 ", "green ≤2 s", 2000.0),
    "red_ms": ("modern.md | C24 ", "yellow ≤6 s", 6000.0),
    "late": ("modern.md | C24 ", "green ≤2 s, yellow", 0.5),
    "red": ("modern.md | C24 ", "yellow ≤6 s, red", 1.5),
    "class hdd latency_warn": ("| DAVG", '15 "probable array problem" (MON67)', 15.0),
    "class hdd latency_crit": ("| DAVG", "25 (EPP)", 25.0),
    "class hdd disk_warn": ("| GAVG", "20 ms", 20.0),
    "disk_warn": VIRTUAL_DISK,
    "disk_crit": GUEST,
    "class other latency_crit": PEAK,
    "class hybrid latency_crit": PEAK,
    "class ssd latency_crit": PEAK,
    "class nvme latency_crit": PEAK,
    "class ssd unusual": ("| DAVG", "Flash: >1–2 ms", 2.0),
    "class nvme unusual": FLASH,
}
"""By a number's name, or by card and name; a class of storage counts as a card."""

READ: dict[str, str] = {
    "net.errors any": "OPS (isvara.io, ESXi, error metrics): error packets should be 0 at all times. MON67, "
    "which thresholds.csv names, tells of drops and of full duplex only",
    "cluster.drs_score automatic": "DEV, DrsBehavior: manual, partiallyAutomated, fullyAutomated are all",
    "cluster.imbalance automatic": "DEV, DrsBehavior, as for cluster.drs_score",
    "cluster.recommendations_ignored automatic": "DEV, DrsBehavior, as for cluster.drs_score",
}
"""What the notes do not tell, and the documents themselves do."""

ROUNDED = {
    "cpu.limit limited_warn",
    "pool.cpu limited_warn",
    *(
        f"mem.{card} rate_warn"
        for card in ("compressing", "latency", "limit", "swap_wait", "swapped_past", "swapping")
    ),
    "pool.memory_limit rate_warn",
}
"""Where the source says "above zero", and ours leaves out what is rounding, and says so."""


@cache
def numbers() -> dict[str, Cited]:
    """Every threshold by card and name, and every number of a class of storage."""
    known = load_problems()
    of_cards = {
        f"{card.id} {name}": Cited(one.value, one.source)
        for card in known.cards
        for name, one in card.thresholds.items()
    }
    of_classes = {
        f"class {one.id} {name}": Cited(number.value, number.source)
        for one in known.storage.classes.classes
        for name, number in one.numbers.items()
    }
    return of_cards | of_classes


def cited() -> dict[str, Cited]:
    """Those whose first source is somebody else's text."""
    return {name: one for name, one in numbers().items() if not one.source.startswith(OURS)}


def key_of(name: str) -> str:
    return name if name in SAID else name.rpartition(" ")[2]


@cache
def page(name: str) -> str:
    path = NOTES / name
    if not path.is_file():
        pytest.skip(f"Not compared with their sources: the notes are not here ({NOTES.name}).")
    return path.read_text(encoding="utf-8")


@cache
def rows() -> dict[str, dict[str, str]]:
    """The rows of thresholds.csv by their ids."""
    return {row["id"]: row for row in csv.DictReader(page("thresholds.csv").splitlines())}


def passage(where: str) -> str:
    """What the notes say at a place."""
    if where in rows():
        return next(line for line in page("thresholds.csv").splitlines() if line.startswith(f"{where},"))
    name, start = ("modern.md", where[10:]) if where.startswith("modern.md ") else ("problems.md", where)
    if start.startswith("#"):
        mark = start.partition(" ")[0]
        return page(name).partition(f"\n{start}")[2].partition(f"\n{mark} ")[0]
    text = page(name)
    if name == "problems.md":
        text = text.partition("## 3. Master threshold table")[2].partition("\n## ")[0]
    return next(line for line in text.splitlines() if line.startswith(start))


@pytest.mark.parametrize("name", [name for name in cited() if name not in READ])
def test_a_number_is_what_its_source_says(name: str) -> None:
    one = cited()[name]
    where, words, number = SAID[key_of(name)]
    told = passage(where)
    assert words in told, told
    tags = _TAGS.findall(re.split(r"[:(\[]", one.source)[0])
    missing = [tag for tag in tags if _AS_THE_NOTES.get(tag, tag.replace("KB-", "")) not in told]
    assert not missing, told
    if name in ROUNDED:
        assert number < one.value <= 0.1
        assert "DESIGN" in one.source
    else:
        assert one.value == number, f"{one.source}; the notes: {told}"


def test_no_row_is_left_over() -> None:
    assert set(SAID) <= {key_of(name) for name in cited()}
    assert set(READ) <= set(cited())
    assert set(cited()) >= ROUNDED


def test_what_the_documents_tell_has_no_row_in_the_notes() -> None:
    """The notes name MON67 for errors; the day they name who says it, the comparison is theirs."""
    assert rows()["P40"]["source"] == "MON67;DESIGN"


Row = tuple[str, str, str, float]
"""A threshold, the column of thresholds.csv, its words there, and what one of their units is in ours."""

RATE = 1 / 1024
"""kBps in MB/s."""

ROWS: dict[str, list[Row]] = {
    "P02": [
        ("cpu.host_saturated usage_warn", "warn", "75 avg", 1),
        ("cpu.host_saturated usage_crit", "crit", "90 peak", 1),
    ],
    "P02b": [
        ("cpu.host_saturated ready_warn", "warn", "5", 1),
        ("cpu.host_saturated ready_crit", "crit", "10", 1),
    ],
    "P02c": [
        ("cpu.host_saturated util_warn", "warn", "80", 1),
        ("cpu.host_saturated util_crit", "crit", "90", 1),
    ],
    "P03": [
        ("cpu.guest_saturated used_warn", "warn", "75 avg", 1),
        ("cpu.guest_saturated used_crit", "crit", "90 peak", 1),
    ],
    "P04": [
        ("cpu.ready_high ready_warn", "warn", "5", 1),
        ("cpu.ready_high ready_crit", "crit", "10", 1),
    ],
    "P05": [("cpu.limit limited_warn", "warn", "0", 1), ("cpu.limit limited_crit", "crit", "1", 1)],
    "P05b": [("pool.cpu limited_warn", "warn", "0", 1), ("pool.cpu limited_crit", "crit", "1", 1)],
    "P06": [
        ("cpu.costop costop_warn", "warn", "3 (OPS 0.5)", 1),
        ("cpu.costop costop_crit", "crit", "10", 1),
    ],
    "P07": [
        ("cpu.single_vcpu busy", "derivation", "max>75", 1),
        ("cpu.single_vcpu idle", "derivation", "others<15", 1),
    ],
    "P08": [("cpu.vmwait vmwait_warn", "warn", "5", 1), ("cpu.vmwait vmwait_crit", "crit", "20", 1)],
    "P09": [("mem.swap_wait wait_warn", "warn", "0", 1), ("mem.swap_wait wait_crit", "crit", "5", 1)],
    "P10": [
        ("cpu.power_management slow", "warn", "0.9", 100),
        ("cpu.power_management very_slow", "crit", "0.75", 100),
    ],
    "P11": [
        ("numa.remote_memory local_warn", "warn", "80", 1),
        ("numa.remote_memory local_crit", "crit", "50", 1),
    ],
    "P14": [
        ("mem.ballooning balloon_warn", "warn", "0 rising", 1),
        ("mem.ballooning latency_crit", "crit", "mem.latency>1", 1),
    ],
    "P16": [
        ("mem.compressing rate_warn", "warn", "0", RATE),
        ("mem.compressing rate_crit", "crit", "1024", RATE),
    ],
    "P16b": [
        ("mem.compressing rate_warn", "warn", "0", RATE),
        ("mem.compressing rate_crit", "crit", "1024", RATE),
    ],
    "P17": [
        ("mem.swapping rate_warn", "warn", "0", RATE),
        ("mem.swapping rate_crit", "crit", "1024", RATE),
    ],
    "P17b": [
        ("mem.swapping rate_warn", "warn", "0", RATE),
        ("mem.swapping rate_crit", "crit", "1024", RATE),
    ],
    "P18": [("mem.swapped_past swapped_warn", "warn", "0", 1)],
    "P19": [("mem.host_demand used_warn", "crit", "94", 1)],
    "P20": [
        ("mem.guest_demand active_warn", "warn", "0.8", 100),
        ("mem.guest_demand active_crit", "crit", "0.9", 100),
    ],
    "P21": [("mem.latency latency_warn", "warn", "1", 1), ("mem.latency latency_crit", "crit", "5", 1)],
    "P23": [
        ("mem.host_cache rate_warn", "warn", "0", RATE),
        ("mem.host_cache rate_crit", "crit", "1024", RATE),
    ],
    "P24": [("storage.aborts any", "warn", "0", 1), ("storage.aborts many", "crit", "1/s", 1)],
    "P24b": [("storage.aborts any", "warn", "0", 1), ("storage.aborts many", "crit", "1/s", 1)],
    "P25": [
        ("storage.device_latency latency_warn", "warn", "10 avg", 1),
        ("storage.device_latency flash_warn", "warn", "flash 2", 1),
        ("storage.device_latency latency_crit", "crit", "20 peak", 1),
        ("storage.device_latency min_iops", "note", "IOPS>=20", 1),
    ],
    "P26b": [
        ("storage.queueing kernel_warn", "warn", "1", 1),
        ("storage.queueing kernel_crit", "crit", "2 (MON67 4)", 1),
    ],
    "P26c": [("storage.queueing queued_warn", "crit", "1", 1)],
    "P28": [
        ("storage.sioc_throttling active_warn", "warn", "5", 1),
        ("storage.sioc_throttling active_crit", "crit", "50", 1),
    ],
    "P29": [
        ("storage.snapshots some", "warn", "2-3", 1),
        ("storage.snapshots deep", "warn", "-3 or", -1),
        ("storage.snapshots old_h", "warn", "72 h", 1),
    ],
    "P29b": [
        ("storage.vm_latency latency_warn", "warn", "10", 1),
        ("storage.vm_latency latency_crit", "crit", "25", 1),
    ],
    "P29c": [
        ("storage.vm_latency latency_warn", "warn", "10", 1),
        ("storage.vm_latency latency_crit", "crit", "25", 1),
    ],
    "P30": [("storage.iops_limit near", "warn", "0.95", 1)],
    "P31": [
        ("storage.noisy_neighbour latency_warn", "warn", "10 ms", 1),
        ("storage.noisy_neighbour rise", "derivation", "lat>=2x baseline", 1),
    ],
    "P32": [
        ("storage.reservation_conflicts any", "warn", "0", 1),
        ("storage.reservation_conflicts many", "crit", "1/s", 1),
    ],
    "P36": [("net.rx_drops drops_warn", "warn", "0", 1), ("net.rx_drops drops_crit", "crit", "1", 1)],
    "P37": [("net.tx_drops drops_warn", "warn", "0", 1), ("net.tx_drops drops_crit", "crit", "1", 1)],
    "P38": [
        ("net.saturated link_warn", "warn", "0.75", 100),
        ("net.saturated link_crit", "crit", "0.9", 100),
    ],
    "P40": [("net.errors any", "warn", "0", 1), ("net.errors many", "crit", "10/min", 1 / 60)],
    "P42": [("cluster.drs_score score_warn", "note", "drsScore<80", 1)],
    "P45": [("vmotion.slow session", "warn", "<250 Mbps/session", 1)],
    "P47": [("ft.slow link_full", "warn", "0.75 link", 1)],
    "P48": [("vsan.congestion congested", "warn", "60", 1), ("vsan.congestion severe", "crit", "200", 1)],
    "P48b": [("vsan.congestion buffer_low", "crit", "30", 1)],
    "P52": [("vsan.dedup_hot_block limit", "warn", "5", 1)],
}
"""What judges each row of thresholds.csv."""

OTHERWISE: dict[str, tuple[float, str]] = {
    "cpu.limit limited_warn": (0.1, "a tenth of a percent leaves out rounding"),
    "pool.cpu limited_warn": (0.1, "as cpu.limit"),
    "mem.swap_wait wait_warn": (0.5, "single pages are no problem that anybody feels"),
    "mem.compressing rate_warn": (0.02, "esxtop prints two decimals; 0.01 is rounding"),
    "mem.swapping rate_warn": (0.02, "as mem.compressing"),
    "mem.host_cache rate_warn": (0.02, "as mem.compressing"),
    "mem.ballooning balloon_warn": (1.0, "EPP's own number is 1 MB: the master table has it"),
    "mem.swapped_past swapped_warn": (1.0, "EPP's own number is 1 MB: the master table has it"),
    "net.rx_drops drops_warn": (0.05, "single packets; what is lost of few packets counts by number"),
    "net.tx_drops drops_warn": (0.05, "as net.rx_drops"),
}
"""Where ours differs from the row on purpose: what it is, and why."""

NO_NUMBER: dict[str, str] = {
    "P13": "names of states: mem.host_state's numbers of them are compared above",
    "P15": "a limit of the VM below its size",
    "P26": "QAVG is a part of KAVG, which is judged from 1 ms on: no queue of 10 ms is missed",
    "P28b": "the threshold of the datastore itself, which its facts tell",
}
"""Rows that no threshold of a card stands for."""

ONE_LEVEL: dict[str, str] = {
    "P19": "MON70 has one number, 94 %, and none of 90; without swapping beside it a warning",
    "P26c": "is evidence only; EPP's number is 1, and no number is above zero that is less",
    "P31": "is a warning only: what suffers by it has a card of its own",
    "P47": "ftLatencyStatus decides the levels; a full link is a cause",
    "P48b": "70 % without destaging needs a rate that the service does not tell; 30 % is a cause",
    "P52": "the second limit is the latency of the disk, not its ratio",
}
"""Rows of which one level is not judged."""


@pytest.mark.parametrize("name", [*ROWS, *NO_NUMBER])
def test_a_row_of_the_thresholds_is_judged_by_its_numbers(name: str) -> None:
    row = rows()[name]
    for threshold, column, words, unit in ROWS.get(name, ()):
        assert words in row[column], row
        said = float(re.findall(r"-?[0-9.]*[0-9]", words)[0]) * unit
        one = numbers()[threshold]
        if threshold in OTHERWISE:
            ours, _ = OTHERWISE[threshold]
            assert (one.value, ours == said) == (ours, False), f"{threshold}: {one.source}; the notes: {row}"
            assert "DESIGN" in one.source or threshold in cited(), one.source
        else:
            assert one.value == pytest.approx(said, rel=0.01), f"{threshold}: {one.source}; the notes: {row}"


def test_all_rows_are_known() -> None:
    assert set(rows()) == {*ROWS, *NO_NUMBER}
    numbered = {
        name: {column for column in ("warn", "crit") if re.search("[0-9]", rows()[name][column])}
        for name in ROWS
    }
    judged = {name: {column for _, column, _, _ in of} for name, of in ROWS.items()}
    assert {name for name in ROWS if numbered[name] - judged[name]} == set(ONE_LEVEL)
    assert set(OTHERWISE) <= {threshold for of in ROWS.values() for threshold, *_ in of}
