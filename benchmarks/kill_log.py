"""What came of killed runs of guided tests: one line of JSON for each, and what they come to together."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.measure import Row
from resources.failures import HyperscopeError
from sessions.store import SessionReader

PLACES: Mapping[str, str] = {
    "lab": "in the lab (the journal, read back from the simulation)",
    "ssh": "over ssh (files, processes and disks of real guests with real fio)",
    "tools": "through VMware Tools of the test vCenter (its settings, disks, attributes; real fio)",
}
NOT_KILLED = "not killed"


@dataclass(frozen=True)
class Outcome:
    """What came of a kill in one moment. ``wrong`` is empty if all was as before.

    ``open`` is how many changes were still to be put back when it was killed, ``orphans_s`` how long load
    outlived its controller where that was measured, ``day`` when it ran.
    """

    test: str
    where: str
    moment: str
    then: str
    wrong: str
    open: int = 0
    orphans_s: float | None = None
    seconds: float = 0.0
    day: str = field(default_factory=lambda: time.strftime("%Y-%m-%d", time.gmtime()))

    @property
    def is_killed(self) -> bool:
        """True if the run was killed in its moment at all."""
        return not self.wrong.startswith(NOT_KILLED)

    @property
    def line(self) -> str:
        """The outcome as a line of JSON."""
        return json.dumps(asdict(self))


def open_changes(session: Path) -> int:
    """Return how many changes of a session are still to be put back; 0 if nothing was written yet."""
    try:
        with SessionReader.open(session) as reader:
            return sum(one.is_open for one in reader.journal())
    except HyperscopeError:
        return 0


def report(outcomes: Iterable[Outcome], out: Path | None) -> int:
    """Print each outcome as it comes, into ``out``, too, and what they come to; return 1 if any is wrong."""
    found = []
    for one in outcomes:
        found.append(one)
        print(one.line, flush=True)
        if out is not None:
            with out.open("a", encoding="utf-8") as file:
                file.write(one.line + "\n")
    print(*(f"{row.what}: {row.here}; {row.peer}" for row in rows(found)), sep="\n")
    return 1 if any(one.wrong for one in found) else 0


def read_outcomes(path: Path) -> list[Outcome]:
    """Return the outcomes of a file; the last one of each kill counts."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = [Outcome(**json.loads(line)) for line in lines]
    return list({(one.where, one.test, one.moment, one.then): one for one in found}.values())


def rows(outcomes: Iterable[Outcome]) -> list[Row]:
    """Return a row for each place in which runs were killed."""
    everything = list(outcomes)
    own = {where: [one for one in everything if one.where == where] for where in PLACES}
    return [_row(where, those) for where, those in own.items() if those]


def _row(where: str, those: Sequence[Outcome]) -> Row:
    killed = [one for one in those if one.is_killed]
    wrong = [one for one in killed if one.wrong]
    clean = sum(not one.open for one in killed if not one.wrong)
    tests = ", ".join(f"{test} {count}" for test, count in Counter(one.test for one in those).items())
    longest = max((one.orphans_s for one in those if one.orphans_s is not None), default=None)
    days = sorted({one.day for one in those})
    span = " to ".join(days[:1] + days[1:][-1:])
    put_back = len(killed) - len(wrong) - clean
    return Row(
        f"kill -9 {PLACES[where]}, {span}: {tests}",
        f"{len(killed)} kills: {put_back} put back by restore or resume, {clean} had nothing to put "
        f"back, {len(wrong)} not as before; {len(those) - len(killed)} not killed",
        "–" if longest is None else f"load outlived its controller by {longest:.0f} s at most",
        "–",
        "all killed, 0 not as before, load ≤ 60 s",
        not wrong and len(killed) == len(those) and (longest or 0.0) <= 60.0,
    )
