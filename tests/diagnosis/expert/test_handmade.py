"""Captures and logs set down by hand (``handmade.py``), judged as the expert who did it reads them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest

from collectors.esxtop.importing import import_captures
from collectors.logs.importing import LogOptions, import_logs
from diagnosis import Diagnosis, diagnose_session
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from sessions.store import SessionReader
from tests.diagnosis.expert.handmade import CAPTURES, write_all
from tests.diagnosis.expert.judging import FOLDER, Claim, Reading, claims


class Capture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A capture, what an expert reads in it, and what the product says otherwise today.

    ``orders`` are patterns of what the expert orders, each to be found in the remedies; ``never_orders`` of
    what must be in none of them.
    """

    file: str
    what: str
    reading: Reading
    orders: tuple[str, ...] = ()
    never_orders: tuple[str, ...] = ()
    wrong_today: dict[str, str] = {}


@cache
def captures() -> dict[str, Capture]:
    """All readings by the name of their capture."""
    told = tomllib.loads((FOLDER / "handmade.toml").read_text(encoding="utf-8"))
    return {one.file: one for one in msgspec.convert(told["capture"], list[Capture])}


def session_of(name: str, folder: Path) -> Path:
    """Import the capture of a name with its logs, as ``hyperscope import`` does."""
    capture, *logs = write_all(name, folder)
    out = folder / "made.hscope"
    import_captures([capture], out, workers=0)
    if logs:
        import_logs(logs, out, LogOptions(into=True, host=CAPTURES[name]().name))
    return out


def judged(one: Capture, diagnosis: Diagnosis) -> Iterator[Claim]:
    """The claims of a reading with those on orders."""
    yield from claims(one.reading, diagnosis)
    given = "\n".join(text for finding in diagnosis.findings for text in finding.remedies)
    for pattern in one.orders:
        yield Claim(f"orders {pattern}", bool(re.search(pattern, given)), "ordered", given, "text")
    for pattern in one.never_orders:
        told = re.search(pattern, given)
        yield Claim(f"never orders {pattern}", not told, "not ordered", given if told else "", "text")


def test_every_capture_has_its_reading() -> None:
    assert set(captures()) == set(CAPTURES)


@pytest.mark.parametrize("name", CAPTURES)
def test_the_product_reads_a_capture_as_the_expert_does(name: str, tmp_path: Path) -> None:
    """All claims hold, but those that are listed as wrong today; and each of those is still wrong."""
    one = captures()[name]
    with SessionReader.open(session_of(name, tmp_path)) as reader:
        diagnosis = diagnose_session(reader, load_problems(), load_catalogue())
    wrong = {claim.key: claim for claim in judged(one, diagnosis) if not claim.is_right}
    surprises = [
        f"{key}: {claim.text}; instead: {claim.instead}"
        for key, claim in wrong.items()
        if key not in one.wrong_today
    ]
    mended = [f"{key} is right now: take it off wrong_today" for key in one.wrong_today if key not in wrong]
    assert not surprises + mended, "\n".join(surprises + mended)
