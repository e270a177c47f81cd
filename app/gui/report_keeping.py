"""What was chosen for the report of a session and put into it, as plain values for the file of views.

It is not kept in the session: a name, remarks and the paths of other sessions would go with the file to
whoever gets it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from app.gui.report_choices import Paper, PutIn, WindowChoices
from app.report_making import AskedComparison
from sessions.findings import Finding
from viewmodels.report.choices import Audience
from viewmodels.report.document import Look
from viewmodels.report.material import PutChart


class _Choices(msgspec.Struct, frozen=True):
    audience: Audience = "both"
    ticks: tuple[tuple[str, bool], ...] = ()
    order: tuple[str, ...] = ()
    title: str = ""
    author: str = ""
    recipient: str = ""
    remarks: str = ""
    look: Look = "auto"
    paper: Paper = "a4"
    anonymise: bool = False


class _PutIn(msgspec.Struct, frozen=True):
    findings: tuple[Finding, ...] = ()
    charts: tuple[PutChart, ...] = ()
    comparisons: tuple[AskedComparison, ...] = ()
    runs: tuple[int, ...] = ()
    tests: tuple[str, ...] = ()


class _Kept(msgspec.Struct, frozen=True):
    choices: _Choices = _Choices()
    put_in: _PutIn = _PutIn()


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
        found = msgspec.convert(kept, _Kept, dec_hook=_from_text)
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
    return choices, PutIn(put_in.findings, put_in.charts, there, put_in.runs, put_in.tests), said


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
