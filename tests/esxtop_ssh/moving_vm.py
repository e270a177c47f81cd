"""Two hosts whose esxtop is played, and a VM that moves from the first to the second.

esxtop has the columns of its start: on the host that the VM leaves its columns stay, with zeros, and on the
other one it is in none until esxtop is started anew. It gets there the place of a VM of the lab.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab import Lab, load_scenarios
from lab.esxtop_export import export_lab
from lab.vcenter_inventory import vm_uuid
from tests.esxtop_ssh.fake_hosts import FakeHost

Row = list[str]
Listed = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class Side:
    """One host's captures and VMs, before the VM moves and after.

    ``meanwhile`` has the columns of ``before``, as an esxtop goes on that runs while the VM moves.
    """

    before: Path
    meanwhile: Path
    after: Path
    vms_before: Sequence[Listed]
    vms_after: Sequence[Listed]


@dataclass(frozen=True, slots=True)
class Move:
    """The VM that moves, by its instance UUID and name, and both sides of it."""

    uuid: str
    name: str
    left: Side
    entered: Side


def moved(folder: Path) -> Move:
    """Write the captures of both hosts."""
    lab = Lab(load_scenarios()["congested"], seed=3, fields="all")
    first, second = (next(vm for vm in lab.cluster.vms if vm.host == host) for host in (0, 1))
    files = []
    for number in (0, 1):
        path = folder / f"host{number}.csv"
        again = Lab(load_scenarios()["congested"], seed=3, fields="all")
        export_lab(again, path, hosts=[again.hosts[number]], duration_s=60)
        files.append(path)
    listed = {
        host: [(vm.name, vm.cartel, vm_uuid(lab.cluster, vm)) for vm in lab.cluster.vms if vm.host == host]
        for host in (0, 1)
    }
    comes = (first.name, second.cartel, vm_uuid(lab.cluster, first))
    stay = [one for one in listed[1] if one[0] != second.name]
    left = Side(
        files[0],
        _written(files[0], "left", lambda header, row: _zeroed(header, row, first.name)),
        _written(files[0], "without", lambda header, row: _without(header, row, first.name)),
        listed[0],
        [one for one in listed[0] if one[0] != first.name],
    )
    without = _written(files[1], "without", lambda header, row: _without(header, row, second.name))
    entered = Side(
        without,
        without,
        _written(files[1], "entered", lambda header, row: row, (second.name, first.name)),
        stay,
        [*stay, comes],
    )
    return Move(vm_uuid(lab.cluster, first), first.name, left, entered)


def _is_of(column: str, vm: str) -> bool:
    """Whether a column is of a VM: its group, a world in it, a port or a disk."""
    instance = column.partition("(")[2].partition(")\\")[0]
    return vm in instance.replace(".eth", ":").split(":")


def _zeroed(header: Row, row: Row, vm: str) -> Row:
    return [
        "0.00" if _is_of(name, vm) and row is not header else value
        for name, value in zip(header, row, strict=True)
    ]


def _without(header: Row, row: Row, vm: str) -> Row:
    return [value for name, value in zip(header, row, strict=True) if not _is_of(name, vm)]


def _written(
    capture: Path, what: str, change: Callable[[Row, Row], Row], renamed: tuple[str, str] = ("", "")
) -> Path:
    """Write a capture with its rows changed, and a VM renamed in its header."""
    text = capture.read_text(encoding="utf-8")
    if renamed[0]:
        text = text.replace(*renamed)
    header, *rows = csv.reader(io.StringIO(text))
    path = capture.with_name(f"{capture.stem}-{what}.csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerows(change(header, row) for row in (header, *rows))
    return path


def before(host: FakeHost, side: Side) -> None:
    """The host as it is before the move."""
    host.plan(side.before, every_s=2, stamps="now", then="repeat")
    host.run_vms(side.vms_before)


def after(host: FakeHost, side: Side) -> None:
    """The host as it is after the move; an esxtop that runs goes on with its columns."""
    host.go_on_with(side.meanwhile)
    host.plan(side.after, every_s=2, stamps="now", then="repeat")
    host.run_vms(side.vms_after)
