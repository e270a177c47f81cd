"""``import``: reads esxtop's captures, what fio wrote, tables of PowerCLI's Get-Stat, or logs of ESXi."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.import_start import Asked, add_to_session, run_at_terminal
from app.commands.json_option import AsJson
from resources.failures import UsageError
from sessions.clock import LOCAL


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…",
            help="Captures: CSV, plain or .gz .zst .xz. Or of fio: JSON output, logs. Or of PowerCLI: "
            "Get-Stat | Export-Csv. Or logs of ESXi: vmkernel.log, vobd.log, hostd.log, vmware.log, .gz, a "
            "vm-support .tgz. Or dumps of the API's esxtop service.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="S.hscope", help="The session to make.", show_default=False),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            "--into", metavar="S.hscope", help="A session to which logs are added.", show_default=False
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="NAME", help="The host of logs or dumps, if they don't say.")
    ] = "",
    dates: Annotated[
        str,
        typer.Option(
            "--dates",
            metavar="ORDER",
            help="Of Get-Stat's dates, if the file does not tell: dmy (3/4 is in April), mdy or ymd.",
        ),
    ] = "",
    times: Annotated[
        str,
        typer.Option(
            "--times",
            metavar="ZONE",
            help="The zone of Get-Stat's times: local (this computer's), utc or one like Europe/Berlin.",
        ),
    ] = LOCAL,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Replace what an interrupted import left at -o; nothing else."),
    ] = False,
    workers: Annotated[
        int,
        typer.Option(
            min=0,
            max=64,
            help="Worker processes; 0 takes as many as cores and 300 MB allow.",
            show_default=False,
        ),
    ] = 0,
    as_json: AsJson = False,
    attached: Annotated[
        bool,
        typer.Option(
            "--attached",
            help="Progress as JSON lines; stopped when stdin closes: for a window that starts it.",
        ),
    ] = False,
) -> None:
    """Read what 'esxtop -b' wrote into a session; or what fio wrote; or PowerCLI's Get-Stat; or logs of ESXi.

    Several files of one host may come in any order and may overlap. Ask for all fields when you record:
    'esxtop -b -a -d 5 -n 720 > capture.csv'; without -a ballooning per VM, limits and aborts are not in it.
    Of fio: what '--output-format=json+ --status-interval=5 --output=FILE' wrote, and its logs.
    Of PowerCLI: what 'Get-Stat ... | Export-Csv FILE' wrote, in any culture and interval; with it what
    Get-VM, Get-VMHost and Get-VMResourceConfiguration tell of vCPUs, hosts and limits, exported alike.
    Lines of logs become events, in a session of their own, beside captures that are imported with them, or
    in one that is there: 'import vmkernel.log vobd.log --into S.hscope --host esx01'. Their times are UTC.
    Of the API's esxtop service: CSV with a row for each sample and the reply in a column RawData, as
    Get-EsxtopData of hosted vSphere gives it ('| Export-Csv FILE.csv'); or what FetchStats returned, saved as
    it came, one reply after another or a file for each. A single reply tells levels only, as memory's.
    """
    if (out is None) == (into is None):
        raise UsageError("Say where it goes: -o for a new session, or --into for one that is there.")
    if attached and out is not None:
        # Only here, since an import at a terminal needs nothing of what follows a window's commands. It first
        # lowers its priority, which that of its worker processes follows: they start later.
        from app.commands.import_for_window import run_attached  # noqa: PLC0415

        run_attached(files, out, workers)
        return
    if into is not None:
        add_to_session(files, into, host=host, as_json=as_json)
    elif out is not None:
        run_at_terminal(files, out, workers or None, Asked(host, dates, times, replace), as_json=as_json)
