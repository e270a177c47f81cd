"""The lab as a whole: its clock, its seeds, its columns."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lab import FieldSet, Lab
from lab.fields import APERF, CLASSES
from lab.layout import LOCAL_PARTITIONS
from tests.lab.runs import SCENARIOS

OBSERVED = Path(__file__).parents[3] / "shared" / "domain" / "esxtop-columns-observed.json"
FIELDS: tuple[FieldSet, ...] = ("default", "all", "diagnosis")


def rows(scenario: str, seed: int, fields: FieldSet = "all", ticks: int = 12) -> bytes:
    lab = Lab(SCENARIOS[scenario], seed=seed, fields=fields)
    return b"".join(row.tobytes() for _ in range(ticks) if (tick := lab.tick()) for row in tick.rows)


@pytest.mark.parametrize("fields", FIELDS)
def test_the_same_seed_gives_the_same_bytes(fields: FieldSet) -> None:
    assert rows("demo", 7, fields) == rows("demo", 7, fields)


def test_another_seed_gives_another_cluster() -> None:
    one, other = (Lab(SCENARIOS["healthy-normal"], seed=seed, fields="default") for seed in (1, 2))
    assert one.columns() != other.columns()
    assert one.start_ms != other.start_ms
    assert [vm.name for vm in one.cluster.vms] != [vm.name for vm in other.cluster.vms]


def test_field_sets_show_the_same_lab() -> None:
    """What a field set leaves out changes nothing about what it shows."""
    labs = {fields: Lab(SCENARIOS["cpu-limit-vm"], seed=4, fields=fields) for fields in FIELDS}
    rows_of = {
        fields: [tick for _ in range(5) if (tick := lab.tick())][-1].rows for fields, lab in labs.items()
    }
    for host in range(4):
        everything = dict(zip(labs["all"].columns()[host], rows_of["all"][host], strict=True))
        for fields in FIELDS:
            for path, value in zip(labs[fields].columns()[host], rows_of[fields][host], strict=True):
                assert everything[path] == value, path


def test_ticks_are_five_seconds_apart_and_values_are_printed_decimals() -> None:
    lab = Lab(SCENARIOS["healthy-normal"], seed=1, fields="all")
    one, two = lab.tick(), lab.tick()
    assert one is not None
    assert two is not None
    assert two.t_ms - one.t_ms == 5000
    assert one.t_ms == lab.start_ms
    for row, decimals in zip(two.rows, lab.decimals(), strict=True):
        printed = [float(f"{value:.{places}f}") for value, places in zip(row.tolist(), decimals, strict=True)]
        assert printed == row.tolist()
        assert np.isfinite(row).all()
        assert not np.signbit(row[row == 0]).any()


def test_no_column_comes_twice() -> None:
    for paths in Lab(SCENARIOS["healthy-normal"], seed=2, fields="all").columns():
        assert len(set(paths)) == len(paths)


def test_classes_follow_each_other_as_in_a_real_capture() -> None:
    paths = Lab(SCENARIOS["healthy-normal"], seed=2, fields="all").columns()[0]
    order = [
        path.cls
        for before, path in zip((None, *paths), paths, strict=False)
        if not before or before.cls != path.cls
    ]
    assert order[:6] == ["Memory", "Physical Cpu Load", "Physical Cpu", "Memory", "Power", "VSAN"]
    assert order[6:8] == ["Group Cpu", "Vcpu"]
    assert order[-5:] == [
        "Physical Disk NFS Volume", "Virtual Disk", "Network Port", "Interrupt Cookie", "PCPU Power State",
    ]  # fmt: skip
    middle = order[order.index("Group Memory") :]
    assert middle[1:4] == ["Physical Disk", "Physical Disk Adapter", "Physical Disk"]
    assert "Physical Disk SCSI Device" in middle


def test_only_groups_of_vms_show_vm_wait() -> None:
    lab = Lab(SCENARIOS["healthy-normal"], seed=2, fields="default")
    shown = {
        path.instance for path in lab.columns()[0] if (path.cls, path.counter) == ("Group Cpu", "% VmWait")
    }
    assert shown == {f"{vm.group_id}:{vm.name}" for vm in lab.cluster.vms if vm.host == 0}


def test_counters_are_those_of_real_captures() -> None:
    """Every class, counter, field set and number of decimals that was observed; nothing that was not."""
    if not OBSERVED.exists():
        pytest.skip("the observed columns (../shared/domain) are not here")
    observed = json.loads(OBSERVED.read_text(encoding="utf-8"))
    printed = {"Power P-State": "Power", "Physical Disk Path of Adapter": "Physical Disk",
               "Interrupt Cookie CPU": "Interrupt Cookie"}  # fmt: skip
    # Of an interrupt's two tables the one that plain -b prints in full comes last.
    ours = {
        (printed.get(cls, cls), field.name): field
        for cls in sorted(CLASSES, key=lambda cls: cls == "Interrupt Cookie")
        for field in CLASSES[cls]
    }
    for (cls, name), field in ours.items():
        if name in (APERF, "% Core Util Time"):
            continue
        seen = observed[cls][name]
        if seen["decimals"] is not None:
            assert seen["decimals"] == field.decimals, (cls, name)
            assert ("default" in seen["in"]) == field.default, (cls, name)
    for cls, counters in observed.items():
        for name in counters:
            skipped = cls == "RDMA Device" or name.startswith(("%C-State", "%P-State"))
            assert skipped or (cls, name) in ours, (cls, name)


def test_the_first_sample_has_no_io_and_one_group_is_zero_filled_once() -> None:
    lab = Lab(SCENARIOS["healthy-normal"], seed=3, fields="all")
    columns = lab.columns()[1]
    io = [n for n, path in enumerate(columns) if path.cls in ("Physical Disk SCSI Device", "Virtual Disk")]
    rates = [n for n in io if columns[n].counter not in ("Device Q Depth", "World Q Depth", "Shares")]
    depths = [n for n in io if columns[n].counter == "Device Q Depth"]
    members = next(
        n for n, path in enumerate(columns) if (path.instance, path.counter) == ("8:helper", "Members")
    )
    table = np.stack([tick.rows[1] for _ in range(round(lab.duration_s / 5)) if (tick := lab.tick())])
    assert not table[0, rates].any()
    assert table[0, depths].all()
    assert table[1, rates].any()
    assert int((table[:, members] == 0).sum()) == 1


def test_traps_of_the_system_group_are_there() -> None:
    """Idle worlds make 1:system ready, gsSwapRefill waits for swap, the CD-ROM takes 30 ms for nothing."""
    lab = Lab(SCENARIOS["healthy-low"], seed=3, fields="default")
    row = [tick for _ in range(3) if (tick := lab.tick())][-1].rows[0]
    values = dict(zip(((p.cls, p.instance, p.counter) for p in lab.columns()[0]), row, strict=True))
    assert values["Group Cpu", "1:system", "% Ready"] > 50
    assert values["Group Cpu", "1:system", "% Swap Wait"] > 20
    device = ("Physical Disk SCSI Device", "mpx.vmhba0:C0:T5:L0")
    assert values[(*device, "Average Driver MilliSec/Command")] > 20
    assert values[(*device, "Commands/sec")] < 2


def test_local_disks_have_partitions() -> None:
    paths = Lab(SCENARIOS["healthy-low"], seed=3, fields="default").columns()[0]
    local = {path.instance.rpartition("-")[2] for path in paths
             if path.cls == "Physical Disk Partition" and path.instance.startswith("t10.")}  # fmt: skip
    assert local == {str(one) for one in LOCAL_PARTITIONS}
