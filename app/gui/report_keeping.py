"""What was chosen for the report of a session and put into it, as plain values for the file of views.

It is not kept in the session: a name, remarks and the paths of other sessions would go with the file to
whoever gets it.
"""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from app.gui.report_choices import PutIn, WindowChoices
from app.report_making import AskedComparison
from viewmodels.report.choices import Audience
from viewmodels.report.document import Look
from viewmodels.report.material import PutChart

_TYPES = {one.__name__: one for one in (AskedComparison, PutChart)} | {"Audience": Audience, "Look": Look}
"""Types that ``report_choices`` only names: the window starts without the modules that have them."""


def _struct_of(plain: type) -> type[msgspec.Struct]:
    """Return a struct with the fields and defaults of a dataclass, which checks what is read from a file."""
    types = get_type_hints(plain, localns=_TYPES)
    return msgspec.defstruct(
        f"_{plain.__name__}", [(one.name, types[one.name], one.default) for one in fields(plain)], frozen=True
    )


_Choices, _PutIn = _struct_of(WindowChoices), _struct_of(PutIn)
_Kept = msgspec.defstruct(
    "_Kept", [("choices", _Choices, _Choices()), ("put_in", _PutIn, _PutIn())], frozen=True
)


def kept_report(choices: WindowChoices, put_in: PutIn) -> dict[str, Any]:
    """Return both as values that JSON has."""
    values = {"choices": choices, "put_in": put_in}
    kept: dict[str, Any] = msgspec.to_builtins(values, enc_hook=_as_text)
    return kept


def taken_up(kept: dict[str, Any]) -> tuple[WindowChoices, PutIn, list[str]]:
    """Return choices and what was put in, and sentences about what is not there any more.

    A file that somebody damaged or that another version wrote gives what is usual.
    """
    try:
        found: Any = msgspec.convert(kept, _Kept, dec_hook=_from_text)
    except msgspec.ValidationError:
        return WindowChoices(), PutIn(), []
    put_in = PutIn(**msgspec.structs.asdict(found.put_in))
    gone = [one for one in put_in.comparisons if not _is_there(one)]
    there = tuple(one for one in put_in.comparisons if one not in gone)
    said = [
        f"A comparison with {path.name} was in the report: that file is not there any more."
        for one in gone
        for path in one.sessions
        if path is not None and not path.is_file()
    ]
    choices = WindowChoices(**msgspec.structs.asdict(found.choices))
    return choices, replace(put_in, comparisons=there), said


def _is_there(comparison: AskedComparison) -> bool:
    return all(path is None or path.is_file() for path in comparison.sessions)


def _as_text(value: object) -> str:
    if isinstance(value, Path):
        return str(value)
    raise NotImplementedError(type(value))


def _from_text(wanted: type, value: object) -> object:
    if wanted is Path and isinstance(value, str):
        return Path(value)
    raise NotImplementedError(wanted)
