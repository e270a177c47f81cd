"""Parses QueryPerf replies that have exactly the form that vCenter writes, without building an XML tree.

Three quarters of lxml's time goes into the tree: five elements for each of a million series. A reply that
deviates from the grammar below in any way is left to lxml, which reads every form; a test checks that both
give the same result. Measured: 0.7 µs a series, lxml 2.2 µs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_TEXT = r"[^<>&\x00-\x1f\ufffe\uffff]*+(?:&(?:amp|lt|gt|quot|apos);[^<>&\x00-\x1f\ufffe\uffff]*+)*+"
_ATTRIBUTES = r"(?: [A-Za-z][\w:.-]*+=\"[^<>&\"\x00-\x1f]*+\")*+"
_START = re.compile(
    rf"(?:<\?xml version=\"1\.0\" encoding=\"(?:UTF|utf)-8\"\?>\n?)?+"
    rf"<(\w+):Envelope{_ATTRIBUTES}>\n?<\1:Body>\n?<QueryPerfResponse xmlns=\"urn:vim25\">"
)
_END = re.compile(r"</QueryPerfResponse>\n?</(\w+):Body>\n?</\1:Envelope>\s*+")
_HEAD = re.compile(
    rf"<returnval{_ATTRIBUTES}><entity type=\"\w++\">({_TEXT})</entity>"
    r"<sampleInfoCSV>([^<>&\x00-\x1f]*+)</sampleInfoCSV>"
)
_ROWS = re.compile(
    rf"(?:<value{_ATTRIBUTES}><id><counterId>[0-9]++</counterId><instance>{_TEXT}</instance></id>"
    r"<value>[-0-9,]*+</value></value>)*+</returnval>"
)
_COUNTERS = re.compile(r"<counterId>([0-9]+)")
_INSTANCES = re.compile(r"<instance>([^<]*)")
_VALUES = re.compile(r"</id><value>([^<]*)")
_ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))


class Rows(NamedTuple):
    """One entity of a reply: its moid, its sampleInfoCSV, and for each series counter id, instance
    and values as text.
    """

    moid: str
    info: str
    counters: list[str]
    instances: list[str]
    values: list[str]


def read(raw: bytes) -> list[Rows] | None:
    """Return the entities of a reply; None when the reply deviates from the grammar in any way."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    start = _START.match(text)
    if start is None:
        return None
    found: list[Rows] = []
    at = start.end()
    for rows, end in _entities(text, at):
        found.append(rows)
        at = end
    end_match = _END.fullmatch(text, at)
    return found if end_match is not None and end_match[1] == start[1] else None


def _entities(text: str, at: int) -> Iterator[tuple[Rows, int]]:
    while head := _HEAD.match(text, at):
        rows = _ROWS.match(text, head.end())
        if rows is None:
            return
        begin, at = rows.span()
        yield (
            Rows(
                _plain(head[1]),
                head[2],
                _COUNTERS.findall(text, begin, at),
                _instances(text, begin, at),
                _VALUES.findall(text, begin, at),
            ),
            at,
        )


def _instances(text: str, begin: int, end: int) -> list[str]:
    found = _INSTANCES.findall(text, begin, end)
    return [_plain(one) for one in found] if text.find("&", begin, end) >= 0 else found


def _plain(text: str) -> str:
    if "&" in text:
        for escape, character in _ESCAPES:
            text = text.replace(escape, character)
    return text
