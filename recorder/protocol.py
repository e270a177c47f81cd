"""What a window and its children say to each other, as types for both ends: one JSON document a line.

Commands go to the stdin of ``record`` and ``import``:

{"do": "mark", "text": "I changed the limit", "at": "2026-11-21T14:21:35Z"}    at is optional
{"do": "unmark", "text": "I changed the limit", "at": "2026-11-21T14:21:35Z"}  that mark goes
{"do": "change mark", "text": "I changed the limit", "at": "2026-11-21T14:21:35Z", "to": "of db-prod"}
{"do": "pause"}   {"do": "resume"}   {"do": "stop"}   {"do": "detach"}
{"do": "password", "source": "vcenter://admin@vc01", "password": "…"}          answers the event "password"
{"do": "trust", "source": "vcenter://admin@vc01", "sha256": "AA:BB:…"}         answers "certificate"; "" is no
{"do": "import", "files": ["esx01.csv"], "out": "esx01.hscope"}                the only one that import takes

Events come from their stdout: {"event": "started", "session": …}, {"event": "status", …} and so on. Who reads
them may be older than who writes them: fields and kinds of events that it does not know are left out.
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
    """Drop a note on the time axis; ``at`` is ISO 8601, now when empty."""

    text: str
    at: str = ""


class Unmark(_Command, frozen=True, tag="unmark"):
    """Take the mark of exactly this text and time away; a warning where there is none."""

    text: str
    at: str


class ChangeMark(_Command, frozen=True, tag="change mark"):
    """The mark of exactly this text and time says ``to`` from now on; a warning where there is none."""

    text: str
    at: str
    to: str


class Pause(_Command, frozen=True, tag="pause"):
    """Leave the sources alone."""


class Resume(_Command, frozen=True, tag="resume"):
    """Go on after a pause."""


class Stop(_Command, frozen=True, tag="stop"):
    """End the recording."""


class Detach(_Command, frozen=True, tag="detach"):
    """Go on when stdin ends and nobody reads stdout any more; a stop file (see stop_file) ends it then."""


class Password(_Command, frozen=True, tag="password"):
    """The password of a source that asked for it. Never shown: its repr has none."""

    source: str
    password: str

    def __repr__(self) -> str:
        return f"Password(source={self.source!r})"


class Trust(_Command, frozen=True, tag="trust"):
    """The certificate of a source that asked is the right one; an empty ``sha256`` says that it is not."""

    source: str
    sha256: str


class Import(_Command, frozen=True, tag="import"):
    """Import these captures into the new session ``out``; to ``import - -o -``, which waits for it."""

    files: tuple[str, ...]
    out: str


RecordCommand = Mark | Unmark | ChangeMark | Pause | Resume | Stop | Detach | Password | Trust
Command = RecordCommand | Import


class SourceReport(msgspec.Struct, frozen=True):
    """How a source is doing; see collectors.feed.Health. ``behind_s`` is None where nobody knows."""

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


class CollectorReport(msgspec.Struct, frozen=True):
    """How a connection is doing: its address, whether it has ended, and with which failure."""

    name: str = ""
    is_over: bool = False
    code: int = 0
    message: str = ""


class _Event(msgspec.Struct, frozen=True, tag_field="event"):
    """One line on stdout. Every field has a default: the writer may be older than the reader."""


class Started(_Event, frozen=True, tag="started"):
    """The recording has begun, into ``session``; ``at`` is ISO 8601."""

    session: str = ""
    sources: tuple[str, ...] = ()
    resumed: bool = False
    pid: Count = 0
    at: str = ""


class StatusReport(_Event, frozen=True, tag="status"):
    """How the recording is doing, about once a second; see recorder.recording.Status."""

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
    """Something that does not end the recording; ``source`` is None where it concerns none."""

    source: str | None = None
    state: str | None = None
    message: str = ""


class Rotated(_Event, frozen=True, tag="rotated"):
    """The recording goes on in another file."""

    session: str = ""


class PasswordWanted(_Event, frozen=True, tag="password"):
    """A source's password is asked for."""

    source: str = ""


class CertificateWanted(_Event, frozen=True, tag="certificate"):
    """Nobody vouches for a source's certificate: is it the right one?"""

    source: str = ""
    sha256: str = ""
    why: str = ""


class Finishing(_Event, frozen=True, tag="finishing"):
    """The recording was stopped, and its session is being put in order."""


class Detached(_Event, frozen=True, tag="detached"):
    """The recording goes on alone: nothing comes after this."""


class Ended(_Event, frozen=True, tag="ended"):
    """The last event of a recording. ``session`` is None where no file is left; ``code`` 0 is a good end.

    ``expected`` and ``received`` count samples that should have come by the end and that did;
    ``without_samples`` names the sources that were in trouble all the time, so that nobody knows what was to
    be expected of them.
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


class ImportProgress(_Event, frozen=True, tag="progress"):
    """How far an import is, a few times a second; the session has rows once ``rows`` is not 0."""

    bytes_done: Count = 0
    bytes_total: Count = 0
    rows: Count = 0
    bytes_per_second: Number = 0.0
    seconds_left: Number | None = None


class ImportEnded(_Event, frozen=True, tag="ended"):
    """The last event of an import: the notes of its report, or the code and the sentence of its failure."""

    code: int = 1
    session: str | None = None
    message: str = ""
    notes: tuple[str, ...] = ()


RecordEvent = (
    Started
    | StatusReport
    | Warned
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
    """The line of a message with its end; in ASCII: a terminal may show it, and names are foreign text."""
    return json.dumps(msgspec.to_builtins(message), allow_nan=False).encode() + b"\n"


def read_command(line: bytes) -> RecordCommand:
    """The command to a recorder of a line. Raises UsageError, which never repeats what the line says."""
    if len(line) > MAX_COMMAND_BYTES:
        raise UsageError("A command on stdin is longer than any can be.")
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
    """The command to an import. Raises UsageError."""
    try:
        return msgspec.json.decode(line, type=Import)
    except _UNREADABLE as error:
        raise UsageError(
            "A line on stdin does not say what to import.",
            advice='It is one JSON document: {"do": "import", "files": […], "out": "S.hscope"}.',
        ) from error


def read_record_event(line: bytes) -> RecordEvent | None:
    """The event of a line that a recorder wrote; None for a kind of event that only a newer one knows.

    Raises UsageError for a line that is no event, or has a value that none can have.
    """
    event: RecordEvent | None = _read_event(line, _RECORD_EVENTS)
    return event


def read_import_event(line: bytes) -> ImportEvent | None:
    """The same of a line that an import wrote."""
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
        raise UsageError("An event is longer than any can be.")
    try:
        decoder = decoders.get(_KIND.decode(line).event)
        return None if decoder is None else decoder.decode(line)
    except _UNREADABLE as error:
        raise UsageError("A line is no event.") from error
