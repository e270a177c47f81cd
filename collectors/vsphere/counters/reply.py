"""Decodes raw QueryPerf replies (csv format) into arrays: first all texts are collected, then all
numbers parsed at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import repeat

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from collectors.vsphere.counters import plain_reply
from connections.vsphere.soap import without_illegal_characters
from resources.failures import DisconnectedError
from sessions.model import FloatArray, IntArray

_VIM = "{urn:vim25}"
_COUNTER, _INSTANCE, _VALUE = f"{_VIM}counterId", f"{_VIM}instance", f"{_VIM}value"
_ENTITY, _INFO, _ID, _RETURN = f"{_VIM}entity", f"{_VIM}sampleInfoCSV", f"{_VIM}id", f"{_VIM}returnval"
_NUMBER = re.compile(r"(?:-?[0-9]{1,18})?")


@dataclass(frozen=True, slots=True)
class EntitySamples:
    """The series of one entity: rows ``first`` to ``last`` of a block; ``times`` (L,) int64 in ms."""

    moid: str
    times: IntArray
    counters: list[str]
    instances: list[str]
    first: int

    @property
    def last(self) -> int:
        """The index of the row after the entity's last row."""
        return self.first + len(self.counters)


@dataclass(frozen=True, slots=True)
class Block:
    """The series of all entities with the same instants: ``values`` float64 (rows, L), NaN where absent."""

    times: IntArray
    entities: list[EntitySamples]
    values: FloatArray


@dataclass(frozen=True, slots=True)
class Reply:
    """A decoded reply.

    ``refused`` counts series that were dropped because they have more or fewer values than instants.
    """

    blocks: list[Block]
    refused: int

    @property
    def series(self) -> int:
        """The number of series that were read."""
        return sum(len(block.values) for block in self.blocks)


def decode(raw: bytes) -> Reply:
    """Decode a reply. Negative values (vCenter's −1 for "no data") and empty values are absent (NaN).

    Raises DisconnectedError for a reply that is no XML or no QueryPerfResponse: cut off, or garbage.
    """
    reader = _Reader()
    usual = plain_reply.read(raw)
    if usual is not None:
        for rows in usual:
            reader.keep(*rows)
    else:
        for returned in _returned(raw):
            reader.read(returned)
    return reader.finish()


def _returned(raw: bytes) -> Iterator[etree._Element]:
    """The ``returnval`` elements. Entities are not resolved, nothing is fetched, depth stays limited."""
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
        huge_tree=len(raw) > _HUGE,
    )
    try:
        root = etree.fromstring(raw, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        if (cleaned := without_illegal_characters(raw)) != raw:
            return _returned(cleaned)
        raise _nonsense("breaks off or is no XML") from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise _nonsense("declares a document type, which SOAP forbids")
    answer = next(root.iter(f"{_VIM}QueryPerfResponse"), None)
    if answer is None:
        raise _nonsense("is no answer to QueryPerf")
    return answer.iterchildren(_RETURN)


_HUGE = 8_000_000
"""libxml2 stops at 10 MB of text in a row unless told; our nodes are a few kB, long documents are not."""


def _nonsense(what: str) -> DisconnectedError:
    return DisconnectedError(
        f"The server's reply with samples {what}.",
        meaning="Its samples are queried again.",
    )


class _Reader:
    """Collects the series of all entities, grouped by their instants."""

    def __init__(self) -> None:
        self._times: dict[str, IntArray | None] = {}
        self._groups: dict[str, _Group] = {}
        self._refused = 0

    def read(self, returned: etree._Element) -> None:
        moid, info = returned.findtext(_ENTITY), returned.findtext(_INFO) or ""
        counters = [element.text or "" for element in returned.iter(_COUNTER)]
        instances = [element.text or "" for element in returned.iter(_INSTANCE)]
        values = [element.text for element in returned.iter(_VALUE)]  # a series, its values, a series, …
        texts = [text or "" for text in values[1::2]]
        if not 2 * len(counters) == 2 * len(instances) == len(values):
            counters, instances, texts = self._one_by_one(returned)
        self.keep(moid, info, counters, instances, texts)

    def keep(
        self, moid: str | None, info: str, counters: list[str], instances: list[str], texts: list[str]
    ) -> None:
        """Take in the series of an entity."""
        if not counters:
            return
        times = self._instants(info)
        if moid is None or times is None:
            self._refused += len(counters)
            return
        self._keep(moid, info, times, counters, instances, texts)

    def _one_by_one(self, returned: etree._Element) -> tuple[list[str], list[str], list[str]]:
        """The complete series of an entity some of whose series lack a part."""
        rows = []
        for series in returned.iterchildren(_VALUE):
            counter = series.findtext(f"{_ID}/{_COUNTER}")
            instance = series.findtext(f"{_ID}/{_INSTANCE}")
            text = series.findtext(_VALUE)
            if counter is None or text is None:
                self._refused += 1
            else:
                rows.append((counter, instance or "", text))
        return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]

    def _instants(self, info: str) -> IntArray | None:
        if info not in self._times:
            self._times[info] = sample_times(info)
        return self._times[info]

    def _keep(
        self,
        moid: str,
        info: str,
        times: IntArray,
        counters: list[str],
        instances: list[str],
        texts: list[str],
    ) -> None:
        commas = times.size - 1
        fitting = [text.count(",") == commas and text != "" for text in texts]
        if not all(fitting):
            keep = [i for i, fits in enumerate(fitting) if fits]
            self._refused += sum(text != "" and not fits for text, fits in zip(texts, fitting, strict=True))
            counters, instances = [counters[i] for i in keep], [instances[i] for i in keep]
            texts = [texts[i] for i in keep]
            if not keep:
                return
        group = self._groups.setdefault(info, _Group(times))
        group.entities.append(EntitySamples(moid, times, counters, instances, len(group.texts)))
        group.texts += texts

    def finish(self) -> Reply:
        blocks = []
        for group in self._groups.values():
            values, refused = numbers(group.texts, group.times.size)
            self._refused += refused
            blocks.append(Block(group.times, group.entities, values))
        return Reply(blocks, self._refused)


class _Group:
    def __init__(self, times: IntArray) -> None:
        self.times = times
        self.entities: list[EntitySamples] = []
        self.texts: list[str] = []


def numbers(texts: list[str], columns: int) -> tuple[FloatArray, int]:
    """Parse ``texts`` of ``columns`` comma-separated integers each; negative and empty values become NaN.

    Returns a float64 array (len(texts), columns), and the number of texts that hold anything else; their rows
    are NaN.
    """
    joined = ",".join(texts)
    flat = _parsed(joined) if joined.isascii() else None
    if flat is None or flat.size != len(texts) * columns or not _have_commas(texts, columns - 1):
        return _carefully(texts, columns)
    values = flat.astype(np.float64).reshape(len(texts), columns)
    values[values < 0] = np.nan
    return values, 0


def _have_commas(texts: list[str], commas: int) -> bool:
    """True if each text has so many: one that is too short and one that is too long have as many together.

    To be asked of texts of as many integers together as there should be; none of them is empty.
    """
    return commas == 0 or set(map(str.count, texts, repeat(","))) == {commas}


def _parsed(joined: str) -> IntArray | None:
    """The integers, None where anything else stands between the commas or one has over 18 digits."""
    if not _is_integers(joined):
        return None
    flat = np.fromstring(joined, dtype=np.int64, sep=",")
    return flat if flat.min() > -_TOO_MUCH and flat.max() < _TOO_MUCH else None


def _is_integers(joined: str) -> bool:
    """True if ``joined`` is integers with one comma between each two.

    Asked before numpy reads it: numpy answers anything else with a warning, and to catch a warning changes
    the filters of all threads (before Python 3.14). This takes a fifth of the time that the reading takes.
    """
    framed = f",{joined},".encode()
    if framed.translate(None, b"0123456789,-"):
        return False
    signs = np.frombuffer(framed, np.uint8)
    return all(_alternate(signs[at : at + _SLICE + 1]) for at in range(0, signs.size - 1, _SLICE))


def _alternate(signs: NDArray[np.uint8]) -> bool:
    """True if a minus stands only between a comma and a digit, and no comma beside another."""
    is_comma, is_minus = signs == ord(","), signs == ord("-")
    is_sign = is_comma | is_minus
    minuses = int(np.count_nonzero(is_minus[1:]))
    after_commas = int(np.count_nonzero(is_comma[:-1] & is_minus[1:]))
    side_by_side = int(np.count_nonzero(is_sign[:-1] & is_sign[1:]))
    return side_by_side == after_commas == minuses


_SLICE = 32_768
"""Signs looked at at once: their temporary arrays stay in the processor's cache."""

_TOO_MUCH = 10**18


def _carefully(texts: list[str], columns: int) -> tuple[FloatArray, int]:
    values = np.full((len(texts), columns), np.nan)
    refused = 0
    for row, text in enumerate(texts):
        parts = [part.strip() for part in text.split(",")]
        if len(parts) == columns and all(_NUMBER.fullmatch(part) for part in parts):
            values[row] = [float(part) if part else np.nan for part in parts]
        else:
            refused += 1
    values[values < 0] = np.nan
    return values, refused


def sample_times(info: str) -> IntArray | None:
    """Return the instants (int64, ms) of ``20,2026-11-21T13:37:53Z,20,…``; None when the text
    has another form.
    """
    parts = info.split(",")
    if len(parts) % 2 or not info:
        return None
    try:
        return np.array([_milliseconds(text) for text in parts[1::2]], np.int64)
    except ValueError:
        return None


def _milliseconds(text: str) -> int:
    at = datetime.fromisoformat(text.strip())
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return round(at.timestamp() * 1000)
