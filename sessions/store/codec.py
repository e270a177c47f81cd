"""Converts arrays and texts to blobs and back: with a checksum, and bounded by what their row declares.

A session is untrusted input. The reader of a blob states how many values it must hold; no memory is allocated
by a size that the blob itself claims, and anything that does not fit raises BlobError.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from sessions.model import FloatArray, IntArray

MAX_DECIMALS = 3
MAX_EXACT = 2**53
MAX_VALUE = 1e290
MAX_TEXT_BYTES = 1 << 24

_SEAL = struct.Struct("<I")
_FLOATS = struct.Struct("<BBq")
_INTS = struct.Struct("<Bqq")
_TEXTS = struct.Struct("<III")
_DOCUMENT = struct.Struct("<I")
_FLOAT_WIDTH = 0
_WIDTHS = (1, 2, 4, 8)
_UNSIGNED = tuple(np.dtype(f"<u{next(w for w in _WIDTHS if bits <= 8 * w)}") for bits in range(65))


class BlobError(ValueError):
    """A blob that does not decode to what its row declares. Never leaves the store: see ``database``."""


def summable(values: FloatArray) -> NDArray[np.bool_]:
    """Return which values are finite numbers small enough to be summed (not NaN, below 1e290)."""
    finite: NDArray[np.bool_] = np.abs(values) < MAX_VALUE
    return finite


def seal(payload: bytes) -> bytes:
    """Return the payload followed by its CRC-32."""
    return payload + _SEAL.pack(zlib.crc32(payload))


def unseal(blob: bytes) -> bytes:
    """Return the payload of a sealed blob; raises BlobError when the checksum differs."""
    payload = blob[:-4]
    if len(blob) < 4 or zlib.crc32(payload) != int.from_bytes(blob[-4:], "little"):
        raise BlobError("a checksum does not match")
    return payload


def deflate(data: bytes, level: int) -> bytes:
    """Compress to a Zstandard frame that declares its size."""
    return zstandard.ZstdCompressor(level=level).compress(data)


def inflate(data: bytes, size: int) -> bytes:
    """Decompress exactly ``size`` bytes from a Zstandard frame; raises BlobError before allocating more."""
    try:
        if zstandard.frame_content_size(data) != size:
            raise BlobError("a compressed blob declares another size than its row")
        inflated = zstandard.ZstdDecompressor().decompress(data, max_output_size=size) if size else b""
    except zstandard.ZstdError as error:
        raise BlobError(f"a compressed blob is damaged ({error})") from error
    if len(inflated) != size:
        raise BlobError("a compressed blob ends early")
    return inflated


def unsigned(span: int) -> np.dtype[Any]:
    """Return the narrowest unsigned integer type that holds 0 to ``span``."""
    # Called for every chunk: a table costs a tenth of spelling the type.
    return _UNSIGNED[span.bit_length()]


@dataclass(frozen=True, slots=True)
class Decimals:
    """Numbers as integers of 10^-places: ``whole / 10**places`` restores each of them bit by bit."""

    whole: IntArray
    places: int


def as_decimals(values: FloatArray) -> Decimals | None:
    """Return the values with the fewest decimals (0 to 3) that hold all exactly; None when none do.

    No NaN allowed.
    """
    top = np.abs(values).max(initial=0)
    for places in range(MAX_DECIMALS + 1):
        if not top * 10**places < MAX_EXACT:
            return None
        whole = np.rint(values * 10**places)
        if np.array_equal(whole / 10**places, values):
            return Decimals(whole.astype(np.int64), places)
    return None


def _planes(values: NDArray[Any], level: int) -> bytes:
    """Byte planes (all lowest bytes first, and so on), which is what makes them compress."""
    return deflate(
        np.ascontiguousarray(values.view(np.uint8).reshape(-1, values.itemsize).T).tobytes(), level
    )


def _inflate_planes(data: bytes, count: int, width: int) -> NDArray[np.uint8]:
    return np.frombuffer(inflate(data, count * width), np.uint8).reshape(width, count)


def _interleave(planes: NDArray[np.uint8], dtype: np.dtype[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(planes.T).reshape(-1).view(dtype)


def pack_floats(values: FloatArray, *, level: int = 3) -> bytes:
    """Pack numbers of any shape, flattened in C order; NaN is kept; numbers of up to 3 decimals
    become integers.
    """
    flat = np.ascontiguousarray(values, np.float64).reshape(-1) + 0.0
    present = ~np.isnan(flat)
    decimals = as_decimals(flat[present])
    if decimals is None:
        return seal(_FLOATS.pack(_FLOAT_WIDTH, 0, 0) + _planes(flat.astype("<f8"), level))
    base = int(decimals.whole.min(initial=MAX_EXACT)) if decimals.whole.size else 0
    dtype = unsigned(int(decimals.whole.max(initial=0)) - base + 1 if decimals.whole.size else 0)
    codes = np.zeros(flat.size, dtype)
    codes[present] = (decimals.whole - (base - 1)).astype(dtype)
    return seal(_FLOATS.pack(dtype.itemsize, decimals.places, base) + _planes(codes, level))


@dataclass(frozen=True, slots=True)
class PackedFloats:
    """Numbers packed by ``pack_floats``, decompressed and not yet decoded: decoding a few is cheap."""

    planes: NDArray[np.uint8]
    places: int
    base: int
    is_float: bool

    @classmethod
    def of(cls, blob: bytes, count: int) -> PackedFloats:
        """Decompress a blob of ``count`` numbers; raises BlobError."""
        payload = unseal(blob)
        width, places, base = _head(_FLOATS, payload)
        if width not in (_FLOAT_WIDTH, *_WIDTHS) or places > MAX_DECIMALS or abs(base) > MAX_EXACT:
            raise BlobError("a number format that does not exist")
        planes = _inflate_planes(payload[_FLOATS.size :], count, width or 8)
        return cls(planes, places, base, width == _FLOAT_WIDTH)

    def take(self, which: slice | IntArray) -> FloatArray:
        """Decode some of the numbers, NaN where absent; raises BlobError for an infinite or
        too large number.
        """
        planes = self.planes[:, which]
        if self.is_float:
            values: FloatArray = _interleave(planes, np.dtype("<f8")).astype(np.float64)
            if not (summable(values) | np.isnan(values)).all():
                raise BlobError("a value out of range")
            return values
        return _from_codes(planes, self.base, self.places)


def unpack_floats(blob: bytes, count: int) -> FloatArray:
    """Unpack ``count`` numbers that ``pack_floats`` packed."""
    return PackedFloats.of(blob, count).take(slice(None))


def _from_codes(planes: NDArray[np.uint8], base: int, places: int) -> FloatArray:
    """What codes stand for; up to 4 bytes in floats all the way, which is exact and twice as fast."""
    if len(planes) == 8:
        whole = _interleave(planes, np.dtype("<u8"))
        absent = whole == 0
        values = (whole.astype(np.int64) + (base - 1)).astype(np.float64)
    else:
        values = planes[0].astype(np.float64)
        for i in range(1, len(planes)):
            values += planes[i] * float(1 << 8 * i)
        absent = values == 0
        values += base - 1
    values /= 10**places
    values[absent] = np.nan
    return values


def pack_ints(values: IntArray, *, level: int = 9) -> bytes:
    """Pack integers as consecutive differences: regular times and ascending ids compress
    to almost nothing.
    """
    flat = np.ascontiguousarray(values, np.int64).reshape(-1)
    steps = np.diff(flat)
    base = int(steps.min(initial=0))
    dtype = unsigned(int(steps.max(initial=0)) - base)
    first = int(flat[0]) if flat.size else 0
    return seal(_INTS.pack(dtype.itemsize, first, base) + _planes((steps - base).astype(dtype), level))


def unpack_ints(blob: bytes, count: int) -> IntArray:
    """Unpack ``count`` integers that ``pack_ints`` packed; sums may wrap, so the caller checks the range."""
    payload = unseal(blob)
    width, first, base = _head(_INTS, payload)
    if width not in _WIDTHS:
        raise BlobError("an integer format that does not exist")
    planes = _inflate_planes(payload[_INTS.size :], max(count - 1, 0), width)
    steps = _interleave(planes, np.dtype(f"<u{width}"))
    values = np.empty(count, np.int64)
    values[:1] = first
    np.cumsum(steps.astype(np.int64) + np.int64(base), out=values[1:])
    values[1:] += first
    return values


def pack_bytes(values: NDArray[np.uint8]) -> bytes:
    """Pack codes of one byte each."""
    return seal(deflate(values.tobytes(), 3))


def unpack_bytes(blob: bytes, count: int) -> NDArray[np.uint8]:
    """Unpack ``count`` codes that ``pack_bytes`` packed."""
    return np.frombuffer(inflate(unseal(blob), count), np.uint8)


def pack_document(document: bytes) -> bytes:
    """Pack any bytes, with their length; raises ValueError above MAX_TEXT_BYTES."""
    if len(document) > MAX_TEXT_BYTES:
        raise ValueError(f"a document of {len(document)} bytes")
    return seal(_DOCUMENT.pack(len(document)) + deflate(document, 9))


def unpack_document(blob: bytes) -> bytes:
    """Unpack the bytes that ``pack_document`` packed; raises BlobError."""
    payload = unseal(blob)
    (size,) = _head(_DOCUMENT, payload)
    if size > MAX_TEXT_BYTES:
        raise BlobError("a document that is too large")
    return inflate(payload[_DOCUMENT.size :], size)


def storable(text: str) -> str:
    """Return ``text`` with the characters replaced that UTF-8 can't encode: file names may have such."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def pack_texts(texts: Sequence[str]) -> bytes:
    """Pack texts as a dictionary of the distinct ones and the index of each text in it.

    NUL, which separates them, is replaced, and so are characters that UTF-8 can't encode.
    """
    codes: dict[str, int] = {}
    order = np.array([codes.setdefault(text, len(codes)) for text in texts], np.int64)
    joined = "\0".join(text.replace("\0", "\ufffd") for text in codes).encode("utf-8", "replace")
    if len(joined) > MAX_TEXT_BYTES:
        raise ValueError(f"{len(joined)} bytes of names in one call")
    index = pack_ints(order)
    return seal(_TEXTS.pack(len(codes), len(joined), len(index)) + index + deflate(joined, 9))


def texts_size(blob: bytes) -> int:
    """Return how many bytes of text a blob of ``pack_texts`` claims to hold."""
    return _head(_TEXTS, blob)[1]


def unpack_texts(blob: bytes, count: int) -> list[str]:
    """Unpack ``count`` texts that ``pack_texts`` packed; equal texts are one object."""
    payload = unseal(blob)
    distinct, size, index_size = _head(_TEXTS, payload)
    if distinct > count or size > MAX_TEXT_BYTES:
        raise BlobError("more texts than its row declares")
    body = payload[_TEXTS.size :]
    order = unpack_ints(body[:index_size], count)
    try:
        joined = inflate(body[index_size:], size).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BlobError("a text that is not UTF-8") from error
    words = joined.split("\0") if distinct else []
    if len(words) != distinct or (count and (order.min() < 0 or order.max() >= distinct)):
        raise BlobError("texts that do not fit their index")
    return [words[code] for code in order.tolist()]


def _head(form: struct.Struct, payload: bytes) -> tuple[int, ...]:
    if len(payload) < form.size:
        raise BlobError("a blob that is too short")
    return form.unpack_from(payload)
