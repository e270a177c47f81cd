"""Imports mutated tables of PowerCLI's Get-Stat: each is refused or becomes a whole session.

    python -m benchmarks.fuzz_get_stat --count 10000 [--first 0] [--processes 2] [--keep FOLDER]

The mutations are those of ``fuzz_captures``, with words that trip this reader; each mutant follows from its
number alone.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.fuzz_captures import MUTATIONS
from benchmarks.fuzzing import Report, run_fuzzer
from benchmarks.reading_commands import interrupted_when_slow
from collectors.powercli_tables import is_get_stat
from collectors.vsphere.get_stat.importing import StatOptions, import_get_stat
from resources.catalogue import Catalogue, load_catalogue
from resources.failures import HyperscopeError
from sessions.clock import clock_named
from sessions.store import check_session
from tests.get_stat.exports import COLUMNS, Form

MAX_MEGABYTES = 600
FORMS = (
    Form(), Form("de-DE", ";", "utf-8-sig", is_typed=True), Form("fr-FR", "\t", "utf-16"), Form(quotes=False),
    Form("ko-KR", line_end="\n"), Form("en-AU", columns=("MetricId", "Timestamp", "Value")),
)  # fmt: skip
_WORDS = r"""1e308 -1e999 nan 1,5 1.5 1_0 -1 " "" , ; - * 0 20 999999999 99999999999 sep=; MetricId 1/2/3
Timestamp VirtualMachine-vm-7 HostSystem- Folder-group-v3 mem.state.latest cpu.ready.summation ²
٣/٤/٢٠٢٦ 2026-11-21T"""
_TIMES = "31.12.9999 23:59:59", "0/0/0 0:0:0", "29.2.2026 2:30:00", "25.10.2026 02:30:00", "24:00:00 PM"
_TRIPPING = (
    *(word.encode() for word in (*_WORDS.split(), *_TIMES)), b"9" * 400, b"\t", b"\r", b"\x00", b"\xff\xfe",
    b"\xef\xbb\xbf", b"#TYPE x.stat.y", b"12:60:61", b"\xe2\x80\xa8", b"a\x1cb",
)  # fmt: skip


def originals() -> list[bytes]:
    """Return the tables to mutate: some objects of each kind over two midnights, in several forms."""
    objects = (
        ("db1", "VirtualMachine-vm-7", "cpu.ready.summation", "millisecond", ("", "0", "1"), 20),
        (
            "db1",
            "VirtualMachine-vm-7",
            "virtualdisk.totalreadlatency.average",
            "millisecond",
            ("scsi0:0",),
            20,
        ),
        ("esx1", "HostSystem-host-9", "cpu.coreutilization.average", "%", ("0", "1"), 20),
        ("esx1", "HostSystem-host-9", "mem.state.latest", "number", ("",), 20),
        ("Prod", "ClusterComputeResource-domain-c8", "cpu.usage.average", "%", ("*",), 300),
    )
    begin = datetime(2026, 10, 24, 23, 58, tzinfo=UTC)
    return [
        form.write([
            dict(zip(COLUMNS, (
                form.number(number * 12.5), form.stamp(begin + timedelta(seconds=every * number)), metric,
                unit,
                "high, clear, soft, hard, low", name, entity, str(every), instance,
            ), strict=True))
            for name, entity, metric, unit, instances, every in objects
            for instance in instances
            for number in reversed(range(12))
        ])
        for form in FORMS
    ]  # fmt: skip


def replace_words(rnd: random.Random, data: bytes) -> bytes:
    """Replace some cells by words that trip a reader of tables."""
    separator = max((b",", b";", b"\t"), key=data.count)
    cells = data.split(separator)
    for _ in range(rnd.randint(1, 12)):
        cells[rnd.randrange(len(cells))] = rnd.choice(_TRIPPING)
    return separator.join(cells)


def mutants(first: int, count: int) -> Iterator[tuple[int, str, bytes]]:
    """Yield the number, the description and the content of each mutant."""
    sources = originals()
    for number in range(first, first + count):
        rnd = random.Random(number)
        data, names = rnd.choice(sources), []
        for mutate in rnd.choices((*MUTATIONS, *[replace_words] * 6), k=rnd.choice((1, 1, 2, 3))):
            if data:
                data = mutate(rnd, data)
                names.append(mutate.__name__)
        yield number, "+".join(names), data


def try_one(data: bytes, folder: Path, catalogue: Catalogue) -> str:
    """Import one table; return ``imported``, or what refused it. Any other exception passes through."""
    file, out = folder / "mutant.csv", folder / "mutant.hscope"
    file.write_bytes(data)
    out.unlink(missing_ok=True)
    if not is_get_stat(file):
        return "no table"
    zone = clock_named("Europe/Berlin")  # with an hour that comes twice
    try:
        import_get_stat([file], out, StatOptions(zone, "dmy"), catalogue=catalogue)
    except HyperscopeError as error:
        left = [path.name for path in folder.iterdir() if path != file]
        if left:
            raise AssertionError(f"left behind: {left}") from error
        return type(error).__name__
    problems = check_session(out, thorough=True)
    if problems:
        raise AssertionError(f"a session with problems: {problems[:3]}")
    return "imported"


def fuzz(first: int, count: int, folder: Path, *, keep: Path | None = None) -> Report:
    """Import ``count`` mutants in ``folder``; files of findings are copied to ``keep``."""
    catalogue, report = load_catalogue(), Report()
    for number, name, data in mutants(first, count):

        def act(outcomes: Counter[str], data: bytes = data) -> None:
            with interrupted_when_slow():
                outcomes[try_one(data, folder, catalogue)] += 1

        if not report.attempt(number, name, act) and keep is not None:
            (keep / f"{number}.csv").write_bytes(data)
    return report


def main() -> int:
    """Run the fuzzer from the command line; returns exit code 1 for findings, or for too much memory."""
    return run_fuzzer(fuzz, __doc__.split("\n")[0], default_count=10_000, max_megabytes=MAX_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
