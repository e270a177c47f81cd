"""What the dedup preparation writes, measured on the guests' images, and equal seeds."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from resources.study_numbers import load_studies
from sessions.store import SessionReader
from tests.app.typed import Typist, confirmed, shorten
from tests.some_of_many import others
from tests.workloads.guests.running import needs_fio
from tests.workloads.guests.separate import Guest, separate_guests
from wizards.flows.run_details import read_rounds
from wizards.flows.verdicts.judging import judge

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
_BLOCK = 4096


@pytest.fixture
def two(tmp_path: Path) -> Iterator[list[Guest]]:
    needs_fio()
    with separate_guests(tmp_path / "guests", 2, size=32 << 20) as made:
        yield made


def blocks_of(guests: Iterable[Guest]) -> list[bytes]:
    """The blocks of 4 KB of all images together, as one deduplication domain has them."""
    content = b"".join(one.image.read_bytes() for one in guests)
    return [content[at : at + _BLOCK] for at in range(0, len(content), _BLOCK)]


def duplicates_percent(blocks: list[bytes]) -> float:
    return 100 * (1 - len(set(blocks)) / len(blocks))


def saved_percent(blocks: list[bytes]) -> float:
    """What zlib saves of the distinct blocks, each by itself."""
    distinct = set(blocks)
    return 100 * (1 - sum(len(zlib.compress(one, 1)) for one in distinct) / (len(distinct) * _BLOCK))


def populated(guests: list[Guest], folder: Path, *inputs: str) -> Path:
    """Run the dedup preparation over ssh as a user types it; return its session."""
    pins = [word for one in guests for word in ("--thumbprint", one.host_key)]
    typed = Typist(folder, ["--key", str(guests[0].server.user_key), "--no-agent", *pins])
    plan, session = folder / "p.toml", folder / "s.hscope"
    words = [word for one in (*inputs, "depths=4", "ladder=1", "reads=100") for word in ("--set", one)]
    made = typed(
        "test",
        "plan",
        "dedup-prep",
        *(one.address for one in guests),
        "-o",
        plan,
        "--length",
        "quick",
        *words,
    )
    assert made.code == 0, made.err
    shorten(plan, measure=3)
    ran = typed("test", "run", plan, "-o", session, "--yes", *confirmed(plan))
    assert ran.code == 0, ran
    assert "No verdict: nobody knows the ratio." in ran.out, "no storage tells it over ssh"
    return session


@pytest.mark.parametrize(("dedupe", "compress"), [(50, 60), *others((0, 0), (80, 30))])
def test_the_images_have_the_asked_content(
    two: list[Guest], tmp_path: Path, dedupe: int, compress: int
) -> None:
    populated(two, tmp_path, f"dedupe={dedupe}", f"compress={compress}")
    blocks = blocks_of(two)
    assert duplicates_percent(blocks) == pytest.approx(dedupe, abs=2)
    assert saved_percent(blocks) == pytest.approx(compress, abs=2)


def test_equal_seeds_are_diagnosed(two: list[Guest], tmp_path: Path) -> None:
    session = populated(two, tmp_path, "dedupe=0", "compress=60", "same_seeds=yes")
    measured = duplicates_percent(blocks_of(two))
    assert measured == pytest.approx(50, abs=1)
    with SessionReader.open(session) as reader:
        (run,) = reader.test_runs()
    told = replace(read_rounds(run.details), after_fill={"dedup_percent": measured})
    verdict = judge("dedup-prep", told, load_studies())
    assert verdict.line.startswith("The disks have the wrong content: 50")
    assert "all 2 disks have the same content, as equal random seeds write it" in verdict.sentence
