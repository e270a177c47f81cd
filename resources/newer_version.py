"""Whether a newer version is there, from a file that an admin keeps: nothing is asked of any network.

The file is TOML: ``version = "0.2.0"``, and if you like ``where = "where to get it"``.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from resources.failures import BadInputError
from resources.files import opened_for_reading
from resources.foreign_text import shown
from resources.toml_files import parse_toml, plain_fault
from resources.typed_data import ready
from resources.version import VERSION

MAX_BYTES = 65_536
MAX_SHOWN = 200
_VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){0,3}", re.ASCII)
_ADVICE = 'It needs a line such as: version = "0.2.0".'


class Latest(msgspec.Struct, frozen=True, forbid_unknown_fields=False):
    """The newest version that a file knows, and where it can be had, in the words of who wrote it."""

    version: str
    where: str = ""

    def is_newer(self, than: str = VERSION) -> bool:
        """Return True if it is newer than ``than``; 0.2 is as new as 0.2.0."""
        return _numbers(self.version) > _numbers(than)


def read_latest(path: Path) -> Latest:
    """Read the file. Raises NotFoundError, AccessDeniedError, and BadInputError with one sentence."""
    with opened_for_reading(path, BadInputError, _ADVICE) as file:
        data = file.read(MAX_BYTES + 1)
    name = shown(path.name)
    if len(data) > MAX_BYTES:
        raise BadInputError(f"{name} is larger than 64 KB: it is no file of a version.", advice=_ADVICE)
    try:
        found = msgspec.convert(parse_toml(data), ready(Latest))
    except (ValueError, RecursionError) as error:
        what = plain_fault(error) if isinstance(error, msgspec.ValidationError) else str(error)
        raise BadInputError(f"{name} can't be used: {shown(what).rstrip('.')}.", advice=_ADVICE) from None
    if not _VERSION.fullmatch(found.version):
        what = shown(found.version[:MAX_SHOWN])
        raise BadInputError(f"{name} can't be used: {what!r} is no version.", advice=_ADVICE)
    return found


def _numbers(version: str) -> tuple[int, ...]:
    numbers = [int(part) for part in version.split(".")]
    return tuple([*numbers, 0, 0, 0][:4])
