"""The fourth expert's captures (``handmade_critic.py``), judged as that expert reads them."""

from __future__ import annotations

import tomllib
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
from tests.diagnosis.expert.handmade_critic_more import CRITIC, write_all
from tests.diagnosis.expert.judging import FOLDER
from tests.diagnosis.expert.test_handmade import Capture, judged


@cache
def captures() -> dict[str, Capture]:
    """All readings by the name of their capture."""
    told = tomllib.loads((FOLDER / "handmade_critic.toml").read_text(encoding="utf-8"))
    return {one.file: one for one in msgspec.convert(told["capture"], list[Capture])}


def diagnosed(name: str, folder: Path) -> Diagnosis:
    """What the product says of the captures of a name, imported as ``hyperscope import`` does."""
    made, logs = write_all(name, folder)
    out = folder / "made.hscope"
    import_captures(made, out, workers=0)
    if logs:
        import_logs(logs, out, LogOptions(into=True, host=made[0].stem))
    with SessionReader.open(out) as reader:
        return diagnose_session(reader, load_problems(), load_catalogue())


def test_every_capture_has_its_reading() -> None:
    assert set(captures()) == set(CRITIC)


def test_the_hour_that_comes_twice_is_read_twice(tmp_path: Path) -> None:
    """Two hours of samples, an end of summer time among them: none is lost, none is doubled."""
    diagnosis = diagnosed("hour-that-comes-twice", tmp_path)
    assert diagnosis.window is not None
    assert diagnosis.window.end - diagnosis.window.start == 239 * 30_000
    (ready,) = diagnosis.findings
    assert sum(one.end - one.start for one in ready.windows) == 79 * 30_000


@pytest.mark.parametrize("name", CRITIC)
def test_the_product_reads_a_capture_as_the_expert_does(name: str, tmp_path: Path) -> None:
    """All claims hold, but those that are listed as wrong today; and each of those is still wrong."""
    one = captures()[name]
    wrong = {claim.key: claim for claim in judged(one, diagnosed(name, tmp_path)) if not claim.is_right}
    surprises = [
        f"{key}: {claim.text}; instead: {claim.instead}"
        for key, claim in wrong.items()
        if key not in one.wrong_today
    ]
    mended = [f"{key} is right now: take it off wrong_today" for key in one.wrong_today if key not in wrong]
    assert not surprises + mended, "\n".join(surprises + mended)
