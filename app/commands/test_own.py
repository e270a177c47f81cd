"""``test own``: your own workload, from vscsiStats to a job for fio, and how near a run came to it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.table import Table
from rich.text import Text

from app.commands.options import AsJson
from app.consoles import results
from app.terminal import hint, print_json, print_line
from collectors.vscsistats.histograms import DiskHistograms
from collectors.vscsistats.reading import read_vscsistats
from resources.failures import NotFoundError
from resources.fio_jobs import load_fio_jobs
from resources.foreign_text import shown
from resources.study_numbers import load_studies
from resources.units import format_count, format_value
from workloads.job_file import Disk, job_file
from workloads.own_comparison import differences
from workloads.own_workload import job_of, shape_of


def own(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What 'vscsiStats -p all -c' printed.", show_default=False)
    ],
    disks: Annotated[
        list[str] | None,
        typer.Option("--disk", metavar="PATH", help="A disk of the guest; repeatable.", show_default=False),
    ] = None,
    virtual_disk: Annotated[
        str,
        typer.Option(
            "--of",
            metavar="HANDLE",
            help="Which virtual disk of the file: its handle, or scsi0:0.",
            show_default=False,
        ),
    ] = "",
    size_gb: Annotated[
        float, typer.Option("--size", metavar="GB", min=0, help="The disk's size: keeps random I/O as near.")
    ] = 0.0,
    compare: Annotated[
        Path | None,
        typer.Option(
            "--compare",
            metavar="FILE",
            help="vscsiStats of the run: how near did it come?",
            show_default=False,
        ),
    ] = None,
    guest: Annotated[Literal["linux", "windows"], typer.Option(help="The guest's system.")] = "linux",
    as_json: AsJson = False,
) -> None:
    """Make a job for fio from the commands of a production disk, as vscsiStats counted them.

    Without --disk it shows the disks of the file and what a job would do. Nothing runs. A job with writes
    OVERWRITES the disk: the first line says so.
    """
    found = read_vscsistats(file)
    limits = load_studies().workload
    if not disks and compare is None:
        _show(found, as_json)
        return
    chosen = _chosen(found, virtual_disk)
    if compare is not None:
        _compare(chosen, _chosen(read_vscsistats(compare), virtual_disk), as_json)
        return
    job = job_of(shape_of(chosen, limits), int(size_gb * (1 << 30)))
    named = [Disk(f"disk{number}", path) for number, path in enumerate(disks or (), start=1)]
    text = job_file(load_fio_jobs(), job, {}, named, guest)
    if as_json:
        print_json({"job": text, "purpose": job.purpose, "writes": job.writes})
        return
    print_line("# reads only" if job.writes == "nothing" else "# overwrites the working set")
    print_line(f"# {job.purpose}")
    for line in text.splitlines():
        print_line(line)


def _chosen(found: tuple[DiskHistograms, ...], wanted: str) -> DiskHistograms:
    for disk in found:
        if not wanted or wanted in (disk.handle, disk.name):
            return disk
    raise NotFoundError(
        f"There is no virtual disk {shown(wanted)} in it.",
        advice=f"It has: {', '.join(shown(disk.name or disk.handle) for disk in found[:5])}.",
    )


def _show(found: tuple[DiskHistograms, ...], as_json: bool) -> None:
    if as_json:
        rows = [
            {
                "world_group": disk.world_group,
                "handle": disk.handle,
                "name": disk.name,
                "commands": disk.count(),
            }
            for disk in found
        ]
        print_json({"disks": rows})
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("handle", "disk", "commands", "reads"):
        table.add_column(title, justify="left" if title in ("handle", "disk") else "right")
    for disk in found:
        all_, reads = disk.count(), disk.count("reads")
        part = format_value(100 * reads / all_, "%") if all_ else format_value(float("nan"), "%")
        table.add_row(Text(shown(disk.handle)), Text(shown(disk.name)), format_count(all_), part)
    results().print(table)
    hint("Next: hyperscope test own FILE --disk /dev/disk/by-id/… --of HANDLE")


def _compare(original: DiskHistograms, achieved: DiskHistograms, as_json: bool) -> None:
    found = differences(original, achieved, load_studies().workload)
    if not found:
        raise NotFoundError("The two files have no histogram in common that counts anything.")
    if as_json:
        rows = [
            {"quantity": one.quantity, "of": one.side, "distance": one.distance, "verdict": one.nearness}
            for one in found
        ]
        print_json({"differences": rows})
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("histogram", "of", "in another bucket", "verdict"):
        table.add_column(title)
    for one in found:
        table.add_row(one.quantity, one.side, format_value(100 * one.distance, "%"), one.nearness)
    results().print(table)
