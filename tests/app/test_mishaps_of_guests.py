"""One of several guests fails in the middle of a run: what it says, what is put back, what is mended."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from sessions.store import SessionReader
from tests.app.kills import wait_for_phase
from tests.app.typed import Said, Typist, confirmed, shorten
from tests.some_of_many import others
from tests.workloads.guests.machines import settable_clock
from tests.workloads.guests.running import needs_fio, wait_until
from tests.workloads.guests.separate import Guest, separate_guests

pytestmark = pytest.mark.slow


@dataclass
class Failing:
    """A run of three guests, of which the last one has failed; ``said`` is what the command printed."""

    typed: Typist
    guests: Sequence[Guest]
    session: Path
    said: Said

    @property
    def bad(self) -> Guest:
        return self.guests[-1]

    @property
    def name(self) -> str:
        return f"{self.bad.server.host}:{self.bad.server.port}"


@pytest.fixture
def three(tmp_path: Path) -> Iterator[list[Guest]]:
    needs_fio()
    with separate_guests(tmp_path / "guests", 3) as made:
        yield made


def typist_of(folder: Path, guests: Sequence[Guest]) -> Typist:
    pins = [word for one in guests for word in ("--thumbprint", one.host_key)]
    return Typist(folder, ["--key", str(guests[0].server.user_key), "--no-agent", *pins])


def failing(guests: Sequence[Guest], folder: Path, phase: str, mishap: Callable[[Guest], None]) -> Failing:
    """Run a sweep, and let the last guest fail while all of them work in a phase."""
    typed, plan, session = typist_of(folder, guests), folder / "p.toml", folder / "s.hscope"
    addresses = [one.address for one in guests]
    made = typed(
        "test", "plan", "io-sweep", *addresses, "-o", plan, "--length", "quick", "--set", "depths=1,4"
    )
    assert made.code == 0, made.err
    shorten(plan, measure=5)
    with typed.begin("test", "run", plan, "-o", session, "--yes", *confirmed(plan)) as run:
        wait_for_phase(run, session, phase)
        wait_until(lambda: all(one.is_loaded() for one in guests))
        mishap(guests[-1])
        assert run.stdout is not None
        text = run.stdout.read()
    print(run.returncode, text)
    return Failing(typed, guests, session, Said(run.returncode, text, ""))


def as_before(guests: Sequence[Guest]) -> None:
    """No file, no process of load in any guest."""
    assert [one.files() for one in guests] == [set()] * len(guests)
    assert [one.fios() for one in guests] == [[]] * len(guests)


def restored(failed: Failing) -> None:
    """The guest is well again: ``restore`` puts back what the run could not."""
    done = failed.typed("restore", failed.session)
    assert done.code == 0, done
    as_before(failed.guests)
    with SessionReader.open(failed.session) as reader:
        assert not any(one.is_open for one in reader.journal())


GONE = {
    "die": (Guest.die, Guest.restart, "refuses connections"),
    "hang": (Guest.hang, Guest.go_on, "has not answered for"),
    "lose_network": (Guest.lose_network, Guest.go_on, "did not answer in time"),
}


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("mishap", ["die", *others("hang", "lose_network")])
def test_a_guest_that_is_gone_while_it_measures(three: list[Guest], tmp_path: Path, mishap: str) -> None:
    begin, mend, why = GONE[mishap]
    failed = failing(three, tmp_path, "depth", begin)
    text, name = failed.said.out, failed.name
    as_before(three[:2])
    assert failed.said.code == 20
    assert re.search(rf"{name} was lost \d.* s after “\d outstanding I/Os a disk” began: .*{why}", text)
    assert f"Did all workers take part? 2 of 3: {name} failed" in text
    assert "Put back: 4 of 6, read back." in text
    assert f"failed: folder of {name}." in text
    assert f"Run: hyperscope restore {failed.session}" in text
    assert "did not reach its end" not in text, "it was measured to its end"
    with SessionReader.open(failed.session) as reader:
        (event,) = [one for one in reader.events() if one.kind == "test worker lost"]
        assert name in event.text
    mend(failed.bad)
    restored(failed)


def test_a_guest_that_fills_its_disk_while_it_measures(three: list[Guest], tmp_path: Path) -> None:
    failed = failing(three, tmp_path, "depth", Guest.fill)
    text = failed.said.out
    assert failed.said.code == 0
    assert re.search(rf"{failed.name} was lost .*its disk for temporary files is almost full", text)
    assert "Did all workers take part? 2 of 3" in text
    assert "Put back: 6 of 6, read back." in text
    as_before(three[:2])
    assert failed.bad.files() == {"full"}
    assert failed.bad.fios() == []


def test_a_guest_whose_clock_is_set_between_two_phases(tmp_path: Path) -> None:
    needs_fio()
    option, set_clock = settable_clock(tmp_path)
    with separate_guests(tmp_path / "guests", 3, last=(option,)) as guests:
        failed = failing(guests, tmp_path, "fill", lambda _one: set_clock(3600))
        text = failed.said.out
        assert failed.said.code == 0
        assert re.search(rf"The clock of {failed.name} was set forward by about 1 h while its job ran", text)
        assert f"Did all workers take part? 2 of 3: {failed.name} failed" in text
        assert "Put back: 6 of 6, read back." in text
        as_before(guests)
        with SessionReader.open(failed.session) as reader:
            (run,) = reader.test_runs()
            assert run.end is not None
            span = reader.span()
            assert span is not None
            assert span.end <= run.end, "no sample has the time of a wrong clock"
