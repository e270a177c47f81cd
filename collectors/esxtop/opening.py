"""Opens a capture: detects compression and encoding by content, and says what a wrong file is instead.

Everything behind this module reads plain bytes in an ASCII-compatible encoding whose lines end in ``\\n``.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from collectors.unpacking import BROKEN, Unpacked, compression_of
from resources.failures import NotACaptureError
from resources.files import opened_for_reading

CHUNK = 1 << 20
"""Bytes read at a time."""
_UTF16 = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_OTHER_THINGS = (
    (
        b"PK\x03\x04",
        "is an Excel workbook or a ZIP archive",
        "Save it as CSV, or unpack it, and import that.",
    ),
    (b"SQLite format 3\x00", "is a database, perhaps already a session", "Try `hyperscope info` on it."),
    (b"\xd0\xcf\x11\xe0", "is an old Excel workbook", "Save it as CSV and import that."),
    (b"BZh", "is compressed with bzip2", "Unpack it first, or compress with gzip, xz or zstd."),
    (b"7z\xbc\xaf\x27\x1c", "is a 7-Zip archive", "Unpack it first."),
    (b"%PDF", "is a PDF", "Import the capture itself."),
)


@dataclass(frozen=True, slots=True)
class Capture:
    """A file that was recognised: where it is, how it is wrapped and how many bytes it takes on disk.

    ``direct`` means that byte offsets of the file are offsets of the text: worker processes may read it.
    ``skip`` is the length of the byte order mark.
    """

    path: Path
    compression: str
    encoding: str
    size: int
    skip: int
    carriage_returns: bool

    @property
    def direct(self) -> bool:
        """True if the file is neither compressed nor recoded, so that workers can read it at byte offsets."""
        return not self.compression and not self.encoding and not self.carriage_returns


class TextStream:
    """The text of a capture as bytes, read forwards; ``broken`` says how a damaged wrapping ended it early.

    ``position`` is the number of bytes of the file on disk that were consumed, for progress.
    """

    def __init__(
        self,
        read: Callable[[int], bytes],
        raw: BinaryIO,
        skip: int,
        transform: Callable[[bytes], bytes] | None,
    ) -> None:
        self._read = read
        self._raw = raw
        self._skip = skip
        self._transform = transform
        self.broken = ""

    @property
    def position(self) -> int:
        """How many bytes of the file on disk were read so far."""
        return self._raw.tell()

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        """Yield the text in chunks of about ``size`` bytes."""
        while True:
            try:
                data = self._read(size)
            except BROKEN as error:
                self.broken = str(error) or type(error).__name__
                return
            if not data:
                return
            data = data[self._skip :] if self._skip else data
            self._skip = 0
            yield self._transform(data) if self._transform else data

    def give_back(self, count: int) -> bool:
        """Move back by ``count`` bytes, so that they are read again; False if the stream can't seek."""
        if self._transform or self._read != self._raw.read:
            return False
        self._raw.seek(-count, 1)
        return True


def recognise(path: Path) -> Capture:
    """Detect how the file ``path`` is compressed and encoded.

    Raises NotFoundError, AccessDeniedError, or NotACaptureError for a directory, an empty file and everything
    whose first bytes say that it is no text.
    """
    with _opened(path) as raw:
        head = raw.read(16)
        size = raw.seek(0, 2)
    if not head:
        raise NotACaptureError(
            f"{path} is empty.", advice="Was the capture interrupted before its first sample?"
        )
    compression = compression_of(head)
    capture = Capture(path, compression, "", size, 0, carriage_returns=False)
    with text_of(capture) as stream:
        start = next(stream.chunks(1 << 16), b"")
    if not start:
        why = f" ({stream.broken})" if stream.broken else ""
        raise NotACaptureError(
            f"{path} holds nothing that can be unpacked{why}.", advice="Copy it again from where it was made."
        )
    _refuse_other_things(path, start)
    encoding, skip = _encoding(path, start)
    text = Capture(path, compression, encoding, size, skip, carriage_returns=False)
    return Capture(path, compression, encoding, size, skip, carriage_returns=_ends_lines_with_cr(text))


@contextmanager
def text_of(capture: Capture) -> Iterator[TextStream]:
    """Open the capture's text, from its start (after a byte order mark)."""
    with _opened(capture.path) as raw:
        read = Unpacked(raw, capture.compression).read if capture.compression else raw.read
        yield TextStream(read, raw, capture.skip, _transform(capture))


def _transform(capture: Capture) -> Callable[[bytes], bytes] | None:
    decode = codecs.getincrementaldecoder(capture.encoding)("replace").decode if capture.encoding else None
    if decode and capture.carriage_returns:
        return lambda data: decode(data).encode("utf-8", "replace").replace(b"\r", b"\n")
    if decode:
        return lambda data: decode(data).encode("utf-8", "replace")
    if capture.carriage_returns:
        return lambda data: data.replace(b"\r", b"\n")
    return None


def _opened(path: Path) -> AbstractContextManager[BinaryIO]:
    return opened_for_reading(path, NotACaptureError, "Name the capture file inside it.")


def _encoding(path: Path, start: bytes) -> tuple[str, int]:
    if start.startswith(codecs.BOM_UTF8):
        return "", len(codecs.BOM_UTF8)
    for mark, name in _UTF16:
        if start.startswith(mark):
            return name, len(mark)
    if b"\x00" in start[:64]:
        raise NotACaptureError(
            f"{path} is a binary file, not an esxtop capture.",
            advice="Name the CSV file that esxtop -b wrote.",
        )
    return "", 0


def _refuse_other_things(path: Path, start: bytes) -> None:
    for magic, what, advice in _OTHER_THINGS:
        if start.startswith(magic):
            raise NotACaptureError(f"{path} {what}, not an esxtop capture.", advice=advice)
    if start.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"<":
        raise NotACaptureError(
            f"{path} is a web page (HTML or XML), not an esxtop capture.",
            meaning="A browser probably saved a login or error page under the capture's name.",
            advice="Download the file itself.",
        )


def _ends_lines_with_cr(capture: Capture) -> bool:
    """Whether lines end in CR alone, as old Excel for the Mac wrote them: told by the header's end."""
    seen = 0
    with text_of(capture) as stream:
        for data in stream.chunks():
            feed, ret = data.find(b"\n"), data.find(b"\r")
            if ret >= 0 and (feed < 0 or ret < feed):
                return data[ret + 1 : ret + 2] not in (b"\n", b"") or (ret + 1 == len(data) and feed < 0)
            if feed >= 0:
                return False
            seen += len(data)
            if seen > 64 * CHUNK:
                return False
    return False
