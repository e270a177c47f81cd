"""Finds the lines of a log that tell of something known: by a piece of text that each has, then by form."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from resources.log_lines import LineForm, LogKnowledge, Of, ToldRow

CHUNK = 1 << 20
_STAMP = rb"(?P<at>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?)Z"
_LEVEL = rb"(?:In|Wa|No|Al|Er|Db|Cr|Em)\(\d{1,4}\)"
_PREFIX = re.compile(
    _STAMP + rb"(?:"
    rb"\| [\w.-]{1,40}\| (?:[A-Z]\d{3}[:+] )?"  # vmware.log up to 7
    rb"| " + _LEVEL + rb" [\w.-]{1,40} - "  # vmware.log from 8 on
    rb"|:?(?: " + _LEVEL + rb":?)? *(?:(?:vmkernel|vobd|hostd|Hostd)(?:\[\d{1,10}\])?:? +)?"
    rb"(?:cpu\d{1,5}:\d{1,10}(?: opID=[^)\s]{1,100})?\))?(?:WARNING: |ALERT: )?"
    rb")"
)
_STAMP_ONLY = re.compile(_STAMP)
_TOLD = re.compile(
    rb"(?:\[\w{1,40}\] \d{1,20}us: )?(?:The event \()?\[(?P<id>(?:vob|esx)\.[\w.]{1,200})\] ?(?P<said>.*)"
)
_YEARS = range(1970, 9999)
"""What is counted over time needs room behind the last line: no calendar has a year after 9999."""
_SENT = re.compile(r"\) was sent immediately to hostd.*$")
_TOLD_LITERALS = (b"[vob.", b"[esx.")

DEVICE = re.compile(r"(?:naa|eui|t10|mpx)\.[^\s\]\"',;()]+")
_PATH = re.compile(r"vmhba\d+:C\d+:T\d+:L\d+")
_NIC = re.compile(r"vmnic\d+")
_VOLUME = re.compile(
    r"(?P<volume>[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}) \(?(?P<datastore>[^()\[\]]{1,200}?)"
    r"(?:\)|:| {2,}|\s*$)"
)
_IDENT = re.compile(r"\[(?P<ident>[^\]]{1,200})\]")


@dataclass(frozen=True, slots=True)
class Line:
    """A line that tells of something: when (ms), of which form, and what its groups are."""

    at: int
    form: LineForm
    groups: Mapping[str, str]


class LineFinder:
    """Finds the known lines in blocks of whole lines; ``too_long`` is called for each that seems known and is
    longer than any log's, which is left out.
    """

    def __init__(self, known: LogKnowledge, too_long: Callable[[], None]) -> None:
        self._too_long = too_long
        self._forms, self._longest = known.forms, known.limits.line_bytes
        self._told = known.told
        self._told_forms: dict[str, LineForm] = {}  # as they are met: an archive may have 100,000 logs

    def lines(self, block: bytes) -> Iterator[Line]:
        """Yield the known lines of a block, in their order."""
        places: dict[int, tuple[int, list[LineForm]]] = {}
        for literal, forms in self._forms.items():
            for begin, end in _places(block, literal):
                places.setdefault(begin, (end, []))[1].extend(forms)
        for literal in _TOLD_LITERALS:
            for begin, end in _places(block, literal):
                places.setdefault(begin, (end, []))
        for begin in sorted(places):
            end, forms_here = places[begin]
            if end - begin > self._longest:
                self._too_long()
                continue
            line = self._line(block[begin:end].rstrip(b"\r"), forms_here)
            if line is not None:
                yield line

    def _line(self, text: bytes, forms: list[LineForm]) -> Line | None:
        prefix = _PREFIX.match(text)
        at = _time(prefix["at"]) if prefix else None
        if prefix is None or at is None:
            return None
        for form in forms:
            if found := form.pattern.match(text, prefix.end()):
                return Line(at, form, _with_ident(_decoded(found)))
        if told := _TOLD.match(text, prefix.end()):
            form_of_id = self._form_told(told["id"].decode())
            return Line(at, form_of_id, _told_groups(_decoded(told))) if form_of_id else None
        return None

    def _form_told(self, name: str) -> LineForm | None:
        """The form of what vobd tells by an id; always the same object."""
        form = self._told_forms.get(name)
        if form is None and (row := self._told.get(name)) is not None:
            form = self._told_forms[name] = _form_of(name, row)
        return form


def blocks(read: Callable[[int], bytes], line_bytes: int, too_long: Callable[[], None]) -> Iterator[bytes]:
    """Yield a text in blocks of whole lines, without a byte order mark; ``too_long`` is called for each line
    of more than a block, or of more than ``line_bytes`` between two, which is left out.
    """
    rest, is_skipping, is_begin = b"", False, True
    while data := read(CHUNK):
        data, is_begin = data.removeprefix(BOM_UTF8) if is_begin else data, False
        if is_skipping:
            end = data.find(b"\n")
            if end < 0:
                continue
            data, is_skipping = data[end + 1 :], False
        block = rest + data if rest else data
        cut = block.rfind(b"\n") + 1
        rest = block[cut:]
        if len(rest) > line_bytes:
            rest, is_skipping = b"", True
            too_long()
        if cut:
            yield block[:cut]
    if rest:
        yield rest


def stamp_range(block: bytes) -> tuple[int, int] | None:
    """Return the times (ms) of the first and the last line of a block that have one; None without any."""
    begin, first = 0, None
    while first is None and 0 <= begin < len(block):
        first = _stamp_at(block, begin)
        begin = block.find(b"\n", begin) + 1 or len(block)
    end, last = len(block.rstrip(b"\r\n")), None
    while first is not None and last is None and end > 0:
        begin = block.rfind(b"\n", 0, end) + 1
        last, end = _stamp_at(block, begin), begin - 1
    return None if first is None else (first, first if last is None else last)


def _stamp_at(block: bytes, begin: int) -> int | None:
    found = _STAMP_ONLY.match(block, begin)
    return _time(found["at"]) if found else None


def _places(block: bytes, literal: bytes) -> Iterator[tuple[int, int]]:
    """The lines (from, to) that have a piece of text."""
    at = block.find(literal)
    while at >= 0:
        end = block.find(b"\n", at)
        end = len(block) if end < 0 else end
        yield block.rfind(b"\n", 0, at) + 1, end
        at = block.find(literal, end)


def _time(text: bytes) -> int | None:
    """A stamp in ms since 1970; None for a day or hour that does not exist."""
    minute = _minute(text[:17])
    seconds = float(text[17:])
    return None if minute is None or seconds >= 60 else minute + int(seconds * 1000)


@lru_cache(maxsize=64)
def _minute(text: bytes) -> int | None:
    try:
        at = datetime.strptime(text.decode(), "%Y-%m-%dT%H:%M:").replace(tzinfo=UTC)
    except ValueError:
        return None
    return round(at.timestamp()) * 1000 if at.year in _YEARS else None


def _decoded(found: re.Match[bytes]) -> dict[str, str]:
    return {
        name: value.decode("utf-8", "replace")
        for name, value in found.groupdict().items()
        if value is not None
    }


def _with_ident(groups: dict[str, str]) -> dict[str, str]:
    """An identifier in brackets is a device's name, or a volume's."""
    ident = groups.get("ident")
    if ident is not None:
        groups.setdefault("device" if DEVICE.fullmatch(ident) else "volume", ident)
    return groups


def _told_groups(groups: dict[str, str]) -> dict[str, str]:
    """What an event of vobd is about, as far as its sentence names it."""
    said = _SENT.sub("", groups["said"]).strip()
    groups["said"] = said
    if found := _VOLUME.search(said):
        groups |= {name: value.strip() for name, value in found.groupdict().items()}
    elif found := _IDENT.search(said):
        groups["ident"] = found["ident"]
    for name, pattern in (("device", DEVICE), ("path", _PATH), ("nic", _NIC)):
        if found := pattern.search(said):
            groups[name] = found[0].rstrip(".:")
    return _with_ident(groups)


def _form_of(name: str, row: ToldRow) -> LineForm:
    text = row.text or "{said}"
    of: tuple[Of, ...] = ("device", "path", "nic", "volume", "datastore")
    return LineForm(row.kind, row.means or name, _TOLD, text, of, ("ident",), "", "", row.opens, row.closes)
