"""``record``: records live counters of vCenters, ESXi hosts, esxtop, guests or the lab into a session."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from app.consoles import notices, one_line
from app.memory import collect_garbage_often, trim_allocator
from app.recording.origins import RecordOptions, added_collector, collectors_of
from app.recording.terminal import PageReporter, QuietReporter
from app.recording.verdict import RecordingVerdict
from app.standard_streams import silence_stderr
from app.terminal import cancellable, hint
from collectors.vsphere.options import VSphereOptions
from collectors.vsphere.selection import parse_selection
from connections.secrets import can_prompt
from recorder.attachment import Attachment
from recorder.board import SourceStatus
from recorder.commands import Commands
from recorder.conducting import Conductor, log_source
from recorder.disk_space import require_space
from recorder.durations import parse_duration
from recorder.hooks import install_hooks
from recorder.limits import RecorderLimits, load_recorder_limits
from recorder.log import RecorderLog
from recorder.questions import Questions
from recorder.recording import Outcome, Recording
from recorder.reporting import JsonReporter, Reporter
from recorder.stdin_lines import StdinLines
from recorder.writing import SpaceRules
from resources.crash_reports import crash_folder
from resources.failures import UsageError
from resources.vcenter_presets import DEFAULT_PRESET, require_preset

_MEGABYTE = 1 << 20


def record(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE",
            help="vcenter://user@host[:port], esxi://user@host, esxtop://user@vcenter/HOST[,HOST…] (or "
            "esxtop://user@host), ssh://root@esxi for its own esxtop, guest://user@machine for what a guest "
            "counts, tools://guestuser@vcenter/VM[,VM…][?as=ACCOUNT] for the same through VMware Tools, or "
            "lab:SCENARIO[?seed=N&fields=all|default|diagnosis]; several at once.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="S.hscope",
            help="The session: a new file, or a recording to continue.",
            show_default=False,
            readable=False,
        ),
    ],
    duration: Annotated[
        str, typer.Option(metavar="TIME", help="End after 70s, 10m, 2h, 7d …; without it, Ctrl-C ends it.")
    ] = "",
    interval: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="Between two samples of esxtop (esxtop://, ssh://; 2s at least), guest://, tools://. "
            "[default: 5s]",
            show_default=False,
        ),
    ] = "",
    rotate: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="Start S-002.hscope, S-003.hscope … after this time; 0: never. [default: 7d, or 32 GB]",
            show_default=False,
        ),
    ] = "",
    keep_free: Annotated[
        int | None,
        typer.Option(
            metavar="MB",
            min=0,
            help="End the recording when less is free on the disk. [default: 512]",
            show_default=False,
        ),
    ] = None,
    preset: Annotated[
        str, typer.Option(metavar="NAME", help="Which counters: troubleshooting, storage or everything.")
    ] = DEFAULT_PRESET,
    select: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND:GLOB",
            help="Only these: vm:SQL*, host:esx0*, cluster:Prod, datastore:*; repeat for more.",
            show_default=False,
        ),
    ] = None,
    backfill: Annotated[
        bool, typer.Option("--backfill/--no-backfill", help="Also the last hour, which hosts still have.")
    ] = True,
    history: Annotated[
        str,
        typer.Option(
            metavar="TIME", help="Also record this much of the past from vCenter's rollups: 2d, 12h …"
        ),
    ] = "",
    thumbprint: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SHA256",
            help="The certificate that a server must have; repeat in the order of the servers.",
            show_default=False,
        ),
    ] = None,
    password_stdin: Annotated[
        bool,
        typer.Option(
            "--password-stdin",
            help="Read passwords from stdin, in the order of the sources: a line for each user at a server; "
            "for tools:// that of the vCenter's account, then that of the guests.",
        ),
    ] = False,
    key: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A private key for ssh:// and guest://, not yours in ~/.ssh; an agent's are tried, too.",
            show_default=False,
        ),
    ] = None,
    speed: Annotated[
        float,
        typer.Option(
            metavar="FACTOR", min=0, help="Lab only: lab seconds in a second; 0: as fast as possible."
        ),
    ] = 1.0,
    knowledge: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="Also use the presets, counters and limits in this folder.",
            show_default=False,
        ),
    ] = None,
    attached: Annotated[
        bool,
        typer.Option(
            "--attached", help="Take commands from stdin and end when it closes: for a window that starts it."
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="JSON lines: events on stdout, commands on stdin.")
    ] = False,
) -> None:
    """Record live counters into a session, until Ctrl-C or for a given time.

    A session that 'record' made is continued: missing samples are fetched as far as the source still has
    them. After an outage the recording goes on by itself; samples that cannot be fetched any more are a gap,
    which 'hyperscope info' shows. Without --attached the recording also goes on when stdin closes.

    Several sources make one recording: a VM or host that two of them know is one. A source that fails for
    good ends alone, and is named; the exit code is its own only if no source is left that recorded.
    """
    paced = ("esxtop:", "ssh:", "guest:", "tools:")
    if interval and not any(source.strip().lower().startswith(paced) for source in sources):
        raise UsageError(
            "--interval is for esxtop://, ssh://, guest:// and tools://: other sources have an interval of "
            "their own."
        )
    limits = load_recorder_limits()
    trim_allocator()
    collect_garbage_often(limits.memory.objects)
    seconds = recording_seconds(duration)
    rules = space_rules(limits, rotate, keep_free)
    days = parse_duration(history, "--history") / 86_400 if history else 0.0
    wanted = VSphereOptions(
        selection=parse_selection(select or ()),
        preset=preset,
        backfill=backfill,
        history_days=days,
        extra_dirs=tuple(knowledge or ()),
    )
    require_preset(wanted.preset, wanted.extra_dirs)
    require_space(out, rules.keep_free)  # before anybody is asked for a password
    install_hooks(log := RecorderLog(crash_folder(), limits.log))
    with cancellable() as wake:
        attachment = Attachment(wake.set, is_attached=attached)
        reporter = reporter_for(attachment, as_json=as_json)
        takes_commands = attached or (as_json and not sys.stdin.isatty())
        lines = StdinLines() if takes_commands or password_stdin else None
        questions = None
        if attached and isinstance(reporter, JsonReporter):
            questions = Questions(reporter.lines.send, wake.is_set)
        options = RecordOptions(
            wanted,
            speed,
            thumbprint or (),
            lines.next_line if lines is not None and password_stdin else None,
            questions,
            reporter.ask if can_prompt() and lines is None else None,
            interval_s=parse_duration(interval, "--interval") if interval else None,
            key=key,
        )
        collectors = collectors_of(sources, options)

        def changed(source: SourceStatus) -> None:
            log_source(log, source)
            reporter.changed(source)

        recording = Recording(
            collectors, out, limits, rules,
            on_change=changed, on_over=wake.set, on_rotation=reporter.rotated,
        )  # fmt: skip
        if lines is not None and takes_commands:
            commands = Commands(
                recording, reporter, log, questions, attachment, silence_stderr,
                lambda source, every_s: added_collector(source, every_s, options),
            )  # fmt: skip
            lines.hand_over(commands.execute, attachment.lost)
        verdict = RecordingVerdict(wanted.extra_dirs, is_wanted=not attached)  # a window judges by itself
        conductor = Conductor(
            recording, reporter, log, wake, limits.status.every_s, seconds, verdict.judge
        )  # fmt: skip
        outcome = conductor.run([collector.name for collector in collectors])
        raise_failure(outcome)
    if verdict.line and not as_json:
        notices().print(one_line(verdict.line), soft_wrap=True)
        hint(f"Next: hyperscope diagnose {outcome.session}")


def recording_seconds(duration: str) -> float | None:
    """Return how long to record in seconds, None for no end. Raises UsageError."""
    seconds = parse_duration(duration, "--duration") if duration else None
    if seconds == 0:
        raise UsageError(
            "--duration: in no time nothing is recorded.", advice="Leave it out to record until Ctrl-C."
        )
    return seconds


def space_rules(limits: RecorderLimits, rotate: str, keep_free_mb: int | None) -> SpaceRules:
    """Return when to rotate and when to stop for lack of space: as the options say, else as the limits do."""
    days_s = parse_duration(rotate, "--rotate") if rotate else limits.rotation.days * 86_400
    free = limits.disk.keep_free_mb if keep_free_mb is None else keep_free_mb
    size = limits.rotation.gigabytes * (1 << 30)
    return SpaceRules(round(free * _MEGABYTE), days_s, 0 if rotate and not days_s else round(size))


def reporter_for(attachment: Attachment, *, as_json: bool) -> Reporter:
    """Return what reports the recording: as JSON events, as a page on a terminal, or as log lines."""
    if as_json:
        return JsonReporter(attachment.lost)
    return PageReporter() if notices().is_terminal else QuietReporter()


def raise_failure(outcome: Outcome) -> None:
    """Raise the error with which the recording ended, if there is one."""
    if outcome.error is not None:
        raise outcome.error
