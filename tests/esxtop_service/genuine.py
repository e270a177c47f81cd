"""The genuine reply of a host: its files, where the machine has them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from collectors.esxtop_service.counter_info import CounterInfo, read_counter_info
from collectors.esxtop_service.reply import Records, Reply

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "esxtop-service"

needs_genuine = pytest.mark.skipif(not FOLDER.is_dir(), reason="the genuine reply is not on this machine")


@cache
def counter_info_text() -> str:
    return (FOLDER / "counterinfo.dsv").read_text(encoding="utf-8")


@cache
def reply_bytes() -> bytes:
    return (FOLDER / "fetchstats.dsv").read_bytes()


@cache
def counter_info() -> CounterInfo:
    return read_counter_info(counter_info_text())


def written_again(reply: Reply) -> bytes:
    """The second section of a decoded reply, written from its records."""
    lines: dict[int, str] = {}
    for records in reply.records.values():
        rows = zip(
            records.lines.tolist(), *(_column(records, one.name) for one in records.type.fields), strict=True
        )
        lines |= {line: "|".join(["", records.type.name, *values, ""]) for line, *values in rows}
    return "".join(lines[number] + "\n" for number in sorted(lines)).encode()


def _column(records: Records, name: str) -> list[str]:
    field = next(one for one in records.type.fields if one.name == name)
    if field.is_text:
        return records.words(name)
    counts = records.counts(name)
    return [str(value) for value in (counts.view("int64") if field.is_signed else counts).tolist()]
