"""The messages between a window and its child processes, typed for both ends: one JSON document a line.

Commands go to the stdin of ``record`` and ``import``:

{"do": "mark", "text": "I changed the limit", "at": "2026-11-21T14:21:35Z"}    at is optional
{"do": "unmark", "text": "I changed the limit", "at": "2026-11-21T14:21:35Z"}  removes that mark
{"do": "change mark", "text": "I changed the limit", "at": "2026-11-21T14:21:35Z", "to": "of db-prod"}
{"do": "pause"}   {"do": "resume"}   {"do": "stop"}   {"do": "detach"}
{"do": "password", "source": "vcenter://admin@vc01", "password": "…"}          answers the event "password"
{"do": "trust", "source": "vcenter://admin@vc01", "sha256": "AA:BB:…"}         answers "certificate"; "" is no
{"do": "act", "source": "lab:demo", "what": "vm.cpu_limit", "kind": "vm", "name": "web01"}    only the lab can
{"do": "add source", "source": "esxtop://admin@vc01/esx01", "interval_s": 5.0}    interval_s is optional
{"do": "remove source", "source": "esxtop://admin@vc01/esx01"}                 the others go on
{"do": "import", "files": ["esx01.csv"], "out": "esx01.hscope"}                the only one for import
{"do": "import", "files": ["vmkernel.log"], "out": "esx01.hscope", "into": true, "host": "esx01"}    of logs

Events come from their stdout: {"event": "started", "session": …}, {"event": "status", …} and so on. A reader
may be older than the writer: it ignores fields and kinds of events that it does not know.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, get_args

import msgspec

from resources.failures import UsageError

Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]
Number = Annotated[float, msgspec.Meta(ge=-1e15, le=1e15)]
TimeMs = Annotated[int, msgspec.Meta(ge=-62_135_596_800_000, le=253_402_300_799_999)]
"""A time that a calendar has: the years 1 to 9999, in milliseconds since 1970 (UTC)."""


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    """One line on stdin."""


class Mark(_Command, frozen=True, tag="mark"):
    """Set a mark (a note on the time axis); ``at`` is ISO 8601, now when empty."""

    text: str
    at: str = ""


class Unmark(_Command, frozen=True, tag="unmark"):
    """Remove the mark with exactly this text and time; a warning if there is none."""

    text: str
    at: str


class ChangeMark(_Command, frozen=True, tag="change mark"):
    """Change the text of the mark with exactly this text and time to ``to``; a warning if there is none."""

    text: str
    at: str
    to: str


class Pause(_Command, frozen=True, tag="pause"):
    """Pause polling the sources."""


class Resume(_Command, frozen=True, tag="resume"):
    """Resume polling after a pause."""


class Stop(_Command, frozen=True, tag="stop"):
    """End the recording."""


class Detach(_Command, frozen=True, tag="detach"):
    """Continue without a window: ignore the end of stdin and stdout.

    A stop file (see stop_file) ends the recording.
    """


class Password(_Command, frozen=True, tag="password"):
    """The password of a source that asked for it. Its repr does not contain the password."""

    source: str
    password: str

    def __repr__(self) -> str:
        return f"Password(source={self.source!r})"


class Trust(_Command, frozen=True, tag="trust"):
    """The certificate of a source that asked is trusted; an empty ``sha256`` means that it is not."""

    source: str
    sha256: str


class DoAct(_Command, frozen=True, tag="act"):
    """Change something in a source that can be changed, the lab: ``what`` is an act of
    ``resources.lab_acts``, about an entity of this ``kind`` and ``name``. The event ``acted`` says
    what was done, a warning why not.
    """

    source: str
    what: str
    kind: str
    name: str


class AddSource(_Command, frozen=True, tag="add source"):
    """Record one more source (its address) beside those that are recorded; a warning if that can't be.

    ``interval_s``: between two samples, for sources that are asked at a pace of ours; None is the usual.
    The source appears among the collectors of the next status.
    """

    source: str
    interval_s: Annotated[float, msgspec.Meta(gt=0, le=86_400)] | None = None


class RemoveSource(_Command, frozen=True, tag="remove source"):
    """End the recording of one source, the others go on; a warning if it is not recorded, or the only one."""

    source: str


class Import(_Command, frozen=True, tag="import"):
    """Import these captures and logs into the new session ``out``; for ``import - -o -``, which waits
    for this command.

    ``into``: logs are added to the session that is there. ``host`` wrote the logs, empty: they say so.
    ``dates`` (``dmy`` …) and ``times`` (a zone) are those of tables of Get-Stat, empty: found out, this
    computer's.
    """

    files: tuple[str, ...]
    out: str
    into: bool = False
    host: str = ""
    dates: str = ""
    times: str = ""


RecordCommand = (
    Mark
    | Unmark
    | ChangeMark
    | Pause
    | Resume
    | Stop
    | Detach
    | Password
    | Trust
    | DoAct
    | AddSource
    | RemoveSource
)
Command = RecordCommand | Import


class SourceReport(msgspec.Struct, frozen=True):
    """The state of a source, see collectors.feed.Health. ``behind_s`` is None when unknown; ``collector`` is
    the name of the connection that it comes from; ``refusal`` is an exit code as of ``Ended``, or 0.
    """

    name: str = ""
    kind: str = ""
    state: str = ""
    interval_s: Number | None = None
    entities: Count = 0
    series: Count = 0
    expected: Count = 0
    received: Count = 0
    behind_s: Number | None = 0.0
    gaps: Count = 0
    last_ms: TimeMs | None = None
    message: str = ""
    source: Count = 0
    details: dict[str, str] = {}
    collector: str = ""
    refusal: int = 0


class CollectorReport(msgspec.Struct, frozen=True):
    """The state of a connection: its address, whether it has ended, and with which error. ``number`` is
    another one when it was begun again.
    """

    name: str = ""
    is_over: bool = False
    code: int = 0
    message: str = ""
    number: Count = 0


class _Event(msgspec.Struct, frozen=True, tag_field="event"):
    """One line on stdout. Every field has a default: the writer may be older than the reader."""


class Started(_Event, frozen=True, tag="started"):
    """The recording has started, into ``session``; ``at`` is ISO 8601."""

    session: str = ""
    sources: tuple[str, ...] = ()
    resumed: bool = False
    pid: Count = 0
    at: str = ""


class StatusReport(_Event, frozen=True, tag="status"):
    """The state of the recording, about once a second; see recorder.recording.Status."""

    session: str = ""
    sources: tuple[SourceReport, ...] = ()
    collectors: tuple[CollectorReport, ...] = ()
    seconds: Number = 0.0
    rate: Number = 0.0
    behind_s: Number = 0.0
    queue: Count = 0
    queue_bytes: Count = 0
    bytes: Count = 0
    bytes_each: Number | None = None
    samples: Count = 0
    gaps: Count = 0
    paused: bool = False


class Warned(_Event, frozen=True, tag="warning"):
    """A problem that does not end the recording; ``source`` is None if it concerns no single source, and
    ``refusal`` is that of its report.
    """

    source: str | None = None
    state: str | None = None
    message: str = ""
    refusal: int = 0


class Acted(_Event, frozen=True, tag="acted"):
    """Something was changed in a source: which act, a sentence, when (ISO 8601, on the clock of the source),
    and whether the source itself tells of it.
    """

    source: str = ""
    what: str = ""
    text: str = ""
    at: str = ""
    is_seen: bool = True


class Rotated(_Event, frozen=True, tag="rotated"):
    """The recording continues in another file."""

    session: str = ""


class PasswordWanted(_Event, frozen=True, tag="password"):
    """The password of a source is needed."""

    source: str = ""


class CertificateWanted(_Event, frozen=True, tag="certificate"):
    """The certificate of a source is unknown: should it be trusted?"""

    source: str = ""
    sha256: str = ""
    why: str = ""


class Finishing(_Event, frozen=True, tag="finishing"):
    """The recording was stopped, and its session is being completed."""


class Detached(_Event, frozen=True, tag="detached"):
    """The recording continues without the window: no further event follows."""


class EndOfTest(msgspec.Struct, frozen=True):
    """How a recording ended that was a guided test: a sentence, how serious it is (``ok``, ``info``,
    ``warning``, ``critical``), and how many of its changes can still be put back.
    """

    text: str = ""
    state: str = "info"
    open: Count = 0


class Ended(_Event, frozen=True, tag="ended"):
    """The last event of a recording. ``session`` is None if no file is left; ``code`` 0 means success.

    ``expected`` and ``received`` count the samples that should have come by the end and those that did;
    ``without_samples`` names the sources that failed all the time, so that their expected samples are
    unknown. ``test`` is None for a recording that is no test, and for a test that did not begin.
    """

    code: int = 0
    session: str | None = None
    samples: Count = 0
    bytes: Count = 0
    seconds: Number = 0.0
    expected: Count = 0
    received: Count = 0
    gaps: Count = 0
    without_samples: tuple[str, ...] = ()
    message: str = ""
    test: EndOfTest | None = None


class ImportProgress(_Event, frozen=True, tag="progress"):
    """The progress of an import, a few times a second; the session has rows once ``rows`` is not 0."""

    bytes_done: Count = 0
    bytes_total: Count = 0
    rows: Count = 0
    bytes_per_second: Number = 0.0
    seconds_left: Number | None = None


class ImportEnded(_Event, frozen=True, tag="ended"):
    """The last event of an import: the notes of its report, or code and text of its error.

    ``left_out`` has a sentence for each file that was no capture beside others that were imported. ``events``
    are those that logs told, None without logs. ``dates`` are the orders of dates (``dmy`` …) among which
    somebody has to choose before these files can be imported.
    """

    code: int = 1
    session: str | None = None
    message: str = ""
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    events: Count | None = None
    dates: tuple[str, ...] = ()


RecordEvent = (
    Started
    | StatusReport
    | Warned
    | Acted
    | Rotated
    | PasswordWanted
    | CertificateWanted
    | Finishing
    | Detached
    | Ended
)
ImportEvent = ImportProgress | ImportEnded | Warned
Event = RecordEvent | ImportEvent

MAX_COMMAND_BYTES = 1 << 16
MAX_EVENT_BYTES = 1 << 20

_UNREADABLE = (msgspec.MsgspecError, UnicodeError, RecursionError)


def encode(message: Command | Event) -> bytes:
    """Return the line of a message, in ASCII because it may be shown on a terminal and
    holds foreign names.
    """
    return json.dumps(msgspec.to_builtins(message), allow_nan=False).encode() + b"\n"


def read_command(line: bytes) -> RecordCommand:
    """Parse a line to a recorder. Raises UsageError, which never repeats the line."""
    if len(line) > MAX_COMMAND_BYTES:
        raise UsageError("A command on stdin is longer than the longest valid one.")
    try:
        command: RecordCommand = msgspec.json.decode(line, type=RecordCommand)
    except _UNREADABLE:
        # Not chained: the library's message may quote the line, and the line may hold a password.
        raise UsageError(
            "A line on stdin is no command of the recorder.",
            advice='Commands are JSON lines: {"do": "mark", "text": …}, {"do": "pause"}, {"do": "stop"} …',
        ) from None
    return command


def read_import(line: bytes) -> Import:
    """Parse a line to an import. Raises UsageError."""
    try:
        return msgspec.json.decode(line, type=Import)
    except _UNREADABLE as error:
        raise UsageError(
            "A line on stdin does not say what to import.",
            advice='It is one JSON document: {"do": "import", "files": […], "out": "S.hscope"}.',
        ) from error


def read_record_event(line: bytes) -> RecordEvent | None:
    """Parse a line from a recorder; None for a kind of event that this version does not know.

    Raises UsageError for a line that is no event, or has an impossible value.
    """
    event: RecordEvent | None = _read_event(line, _RECORD_EVENTS)
    return event


def read_import_event(line: bytes) -> ImportEvent | None:
    """Parse a line from an import; None for a kind of event that this version does not know."""
    event: ImportEvent | None = _read_event(line, _IMPORT_EVENTS)
    return event


class _Kind(msgspec.Struct):
    event: str


_Decoders = Mapping[object, msgspec.json.Decoder[Any]]
_KIND = msgspec.json.Decoder(_Kind)


def _decoders(events: object) -> _Decoders:
    return {kind.__struct_config__.tag: msgspec.json.Decoder(kind) for kind in get_args(events)}


_RECORD_EVENTS, _IMPORT_EVENTS = _decoders(RecordEvent), _decoders(ImportEvent)


def _read_event(line: bytes, decoders: _Decoders) -> Any:
    if len(line) > MAX_EVENT_BYTES:
        raise UsageError("An event is longer than the longest valid one.")
    try:
        decoder = decoders.get(_KIND.decode(line).event)
        return None if decoder is None else decoder.decode(line)
    except _UNREADABLE as error:
        raise UsageError("A line from the child process is no event.") from error
