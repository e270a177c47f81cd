"""Records from the test vCenter by the thousand while random faults occur, several at a time, at every stage.

    python -m benchmarks.fault_soak --count 400 [--seed 1] [--jobs 3] [--out FILE.jsonl]

Each recording meets two or three faults: at the login, the first inventory, the back-fill, while it is live,
at its end. Afterwards the session must hold exactly the samples that the server says it had, every missing
sample must lie in exactly one gap with a reason, and the counts of expected and received samples must agree.
With ``--out`` a soak that was stopped continues where it stopped; ``--only NUMBER`` repeats one recording.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path

import msgspec

from benchmarks.fault_plans import Fault, plan
from benchmarks.fault_truth import findings, recorded
from collectors.vsphere.collector import VSphereCollector
from collectors.vsphere.options import VSphereOptions
from connections.vsphere.address import parse_address
from recorder.limits import load_recorder_limits
from recorder.recording import Outcome, Recording
from recorder.writing import SpaceRules
from sessions.store import SessionReader
from tests.vcenter.running import PASSWORD, TestVCenter
from tests.vsphere.recording import Key, hasty

_RULES = SpaceRules(keep_free=0, rotate_after_s=0, rotate_after_bytes=0)
_SERVER = {"hosts": 2, "vms": 3, "interval": 1, "history": 40, "rollup": 5, "rollup_days": 0}
_PATIENCE_S = 90.0
_TRIES = 8
_KEPT_MS = 30_000
"""Of the samples before the recording began, those that must be there: the server keeps a little more."""
_TAIL_MS = 2_500
"""What was sampled so shortly before the end is not due yet."""


class Result(msgspec.Struct, frozen=True):
    """The result of one recording: its faults, how often it failed to start, and the findings."""

    seed: int
    number: int
    faults: tuple[str, ...]
    refusals: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    seconds: float = 0.0


class Soak:
    """One recording from a test vCenter that is started for it alone."""

    def __init__(self, server: TestVCenter, folder: Path) -> None:
        self._server = server
        self._session = folder / "soak.hscope"
        self._options = VSphereOptions(extra_dirs=hasty(folder))
        self.refusals: list[str] = []

    def run(self, faults: Sequence[Fault], rnd: random.Random, wanted: frozenset[Key]) -> Iterator[str]:
        """Record while the ``faults`` occur; yield one sentence for each finding in the finished session."""
        began_ms = round(self._server.now() * 1000)
        self._cause(faults, "login", "inventory", "back-fill")
        recording = self._begun()
        if recording is None:
            yield f"it never began: {self.refusals[-1:]}"
            return
        _until(lambda: False, rnd.uniform(0.5, 2.0))
        self._cause(faults, "live")
        _until(lambda: False, rnd.uniform(1.0, 5.0))
        self._server.clear()
        if not _until(lambda: _is_recording(recording), _PATIENCE_S):
            yield f"it did not go on: {[one.health for one in recording.status().sources]}"
        stopped = self._cause(faults, "end")
        _until(lambda: False, rnd.uniform(0.0, 5.0) if any(one.stage == "end" for one in faults) else 0.0)
        end_ms = round(time.time() * 1000) - _TAIL_MS
        recording.stop()
        outcome = recording.finish()
        if stopped:
            self._server.start()
        self._server.clear()
        if outcome.code:
            yield f"it failed: {outcome.error}"
        yield from findings(self._session, self._server, wanted, began_ms - _KEPT_MS, end_ms)

    def _cause(self, faults: Iterable[Fault], *stages: str) -> bool:
        """Let the faults of these stages happen; whether the server is gone now."""
        stopped = False
        for fault in faults:
            if fault.stage in stages:
                if fault.kind == "restart":
                    self._server.restart()
                elif fault.kind == "stop":
                    self._server.stop()
                    stopped = fault.stage == "end"
                    if not stopped:
                        time.sleep(3)  # an outage
                        self._server.start()
                else:
                    self._server.fault(fault.kind, **fault.options)
        return stopped

    def _begun(self) -> Recording | None:
        """A recording that has samples; one that fails before it has any must say so and leave no file."""
        for _ in range(_TRIES):
            recording = self._recording()
            recording.start()
            _until(lambda one=recording: one.is_over or _is_recording(one), _PATIENCE_S)  # type: ignore[misc]
            if not recording.is_over:
                return recording
            recording.stop()
            self._refuse(recording.finish())
        return None

    def _refuse(self, outcome: Outcome) -> None:
        if not outcome.code or outcome.error is None or outcome.session is not None or self._session.exists():
            raise AssertionError(f"it ended by itself, and says: {outcome}")
        self.refusals.append(str(outcome.error))

    def _recording(self) -> Recording:
        address = parse_address(self._server.address)
        collector = VSphereCollector(
            address, lambda: PASSWORD, self._options, thumbprint=self._server.thumbprint
        )
        return Recording([collector], self._session, load_recorder_limits(), _RULES)


def _is_recording(recording: Recording) -> bool:
    sources = [one for one in recording.status().sources if not one.name.endswith(" rollups")]
    return bool(sources) and all(one.health.state == "recording" and one.health.last_ms for one in sources)


def _until(holds: Callable[[], bool], most_s: float) -> bool:
    """Wait until it holds, at most so long; whether it does."""
    end = time.monotonic() + most_s
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return holds()


@cache
def wanted_keys() -> frozenset[Key]:
    """Return the keys of all series that a recording without faults has."""
    with tempfile.TemporaryDirectory() as folder, TestVCenter(**_SERVER) as server:  # type: ignore[arg-type]
        soak = Soak(server, Path(folder))
        for finding in soak.run([], random.Random(0), frozenset()):
            raise AssertionError(finding)
        with SessionReader.open(Path(folder) / "soak.hscope") as reader:
            return frozenset(recorded(reader))


def play(seed: int, number: int) -> Result:
    """Run recording ``number`` of the soak with this seed."""
    rnd = random.Random(f"{seed}/{number}")
    faults = plan(rnd)
    began = time.monotonic()
    wanted = wanted_keys()
    with tempfile.TemporaryDirectory() as folder, TestVCenter(**_SERVER) as server:  # type: ignore[arg-type]
        soak = Soak(server, Path(folder))
        found = list(soak.run(faults, rnd, wanted))
    took = round(time.monotonic() - began, 1)
    arguments = tuple(str(fault) for fault in faults)
    return Result(seed, number, arguments, tuple(soak.refusals), tuple(found), took)


def known(path: Path | None, seed: int) -> dict[int, Result]:
    """Read the results of this seed from an earlier soak's file, by number; empty without a file."""
    if path is None or not path.exists():
        return {}
    lines = path.read_bytes().splitlines()
    found = (msgspec.json.decode(line, type=Result) for line in lines)
    return {one.number: one for one in found if one.seed == seed}


def soak(seed: int, numbers: Sequence[int], jobs: int, out: Path | None) -> list[Result]:
    """Run the recordings whose results the file ``out`` lacks,
    ``jobs`` at a time, and append their results.
    """
    done = known(out, seed)
    results = [done[number] for number in numbers if number in done]
    with ProcessPoolExecutor(jobs, initializer=warnings.simplefilter, initargs=("error",)) as pool:
        waiting = {pool.submit(play, seed, number): number for number in numbers if number not in done}
        for future in as_completed(waiting):
            try:
                result = future.result()
            except Exception as error:  # noqa: BLE001 - the very thing that is looked for
                result = Result(seed, waiting[future], (), (), (f"{type(error).__name__}: {error}",))
            results.append(result)
            for finding in result.findings:
                print(f"FINDING {result.number} {list(result.faults)}: {finding[:400]}", flush=True)
            if out is not None:
                with out.open("ab") as file:
                    file.write(msgspec.json.encode(result) + b"\n")
    return results


def summary(results: Sequence[Result]) -> str:
    """Summarise the results of a soak in a few lines of text."""
    faults = [fault for result in results for fault in result.faults]
    stages = Counter(fault.partition(":")[0] for fault in faults)
    bad = sum(bool(result.findings) for result in results)
    refused = sum(len(result.refusals) for result in results)
    return (
        f"{len(results)} recordings met {len(faults)} faults {dict(stages)}; "
        f"{refused} beginnings failed and said so; {bad} recordings with findings"
    )


def main() -> int:
    """Run the soak from the command line; returns exit code 1 if there are findings."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=3)
    parser.add_argument("--only", type=int, help="repeat this one recording")
    parser.add_argument(
        "--out", type=Path, help="results as JSON lines; recordings that are there are not repeated"
    )
    options = parser.parse_args()
    numbers = range(options.count) if options.only is None else [options.only]
    results = soak(options.seed, numbers, options.jobs, options.out)
    print(summary(results))
    return 1 if any(result.findings for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
