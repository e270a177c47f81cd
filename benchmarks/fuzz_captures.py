"""Imports mutated captures; each import, and each command on its session, must end soon in little memory.

    python -m benchmarks.fuzz_captures --count 10000 [--first 0] [--processes 2] [--keep FOLDER]

imports that many; a test imports some hundreds. Each mutant is mutated one to three times and follows from
its number alone, so that it can be made again. ``reading_commands`` says what must hold of the commands.
"""

from __future__ import annotations

import gzip
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import zstandard

from benchmarks.fuzzing import Report, run_fuzzer
from benchmarks.reading_commands import (
    cards_read_once,
    interrupted_when_slow,
    run_all,
)
from collectors.esxtop.importing import import_captures
from resources.catalogue import Catalogue, load_catalogue
from resources.failures import HyperscopeError
from tests.esxtop.captures import Style, Written, capture, host_columns, plausible_rows

REAL = Path(__file__).resolve().parents[2] / "shared" / "data"
MAX_MEGABYTES = 600

Mutation = Callable[[random.Random, bytes], bytes]


def flip_bits(rnd: random.Random, data: bytes) -> bytes:
    """Flip a few bits of a few bytes."""
    changed = bytearray(data)
    for _ in range(rnd.randint(1, 30)):
        changed[rnd.randrange(len(changed))] ^= 1 << rnd.randrange(8)
    return bytes(changed)


def truncate(rnd: random.Random, data: bytes) -> bytes:
    """Cut off the end or the beginning."""
    at = rnd.randrange(len(data))
    return data[:at] if rnd.random() < 0.8 else data[at:]


def splice(rnd: random.Random, data: bytes) -> bytes:
    """Remove a piece, repeat it, or move it somewhere else."""
    a, b = sorted(rnd.randrange(len(data)) for _ in range(2))
    c = rnd.randrange(len(data))
    return rnd.choice([data[:a] + data[b:], data[:b] + data[a:], data[:c] + data[a:b] + data[c:]])


def insert_bytes(rnd: random.Random, data: bytes) -> bytes:
    """Insert random bytes in the middle."""
    at = rnd.randrange(len(data))
    return data[:at] + rnd.randbytes(rnd.choice([1, 10, 1000])) + data[at:]


def insert_text(rnd: random.Random, data: bytes) -> bytes:
    """Insert text that often breaks parsers (quotes, NUL, huge numbers) at random places."""
    for _ in range(rnd.randint(1, 6)):
        at = rnd.randrange(len(data))
        data = data[:at] + rnd.choice(_TRIPPING) + data[at:]
    return data


def replace_cells(rnd: random.Random, data: bytes) -> bytes:
    """Replace cells, times and names of the CSV with other text."""
    lines = data.split(b"\n")
    for _ in range(rnd.randint(1, 8)):
        row = rnd.randrange(len(lines))
        cells = lines[row].split(b",")
        cells[rnd.randrange(len(cells))] = rnd.choice(_TRIPPING)
        lines[row] = b",".join(cells)
    return b"\n".join(lines)


def shuffle_lines(rnd: random.Random, data: bytes) -> bytes:
    """Reorder or repeat lines, or repeat the header."""
    lines = data.split(b"\n")
    for _ in range(rnd.randint(1, 5)):
        line = rnd.choice([lines[0], rnd.choice(lines), b"", b'"(PDH-CSV 4.0) (UTC)(0)"'])
        lines.insert(rnd.randrange(len(lines) + 1), line)
    if rnd.random() < 0.3:
        rnd.shuffle(lines)
    return b"\n".join(lines)


def lengthen(rnd: random.Random, data: bytes) -> bytes:
    """Insert a very long line, cell or name."""
    at = rnd.randrange(len(data))
    return (
        data[:at]
        + rnd.choice([b"x", b"9", b'"', b",", b"\x00", b"\\", b"(", b"[", b" "]) * 2_000_000
        + data[at:]
    )


def compress(rnd: random.Random, data: bytes) -> bytes:
    """Compress the capture, then damage the compressed bytes."""
    packed = gzip.compress(data) if rnd.random() < 0.5 else zstandard.compress(data)
    damage: Mutation = rnd.choice([flip_bits, truncate, insert_bytes, splice])
    return damage(rnd, packed)


_TRIPPING = (
    b"1e308", b"-1e999", b"9" * 400, b"0x7f", b"nan", b"inf", b"-0.00", b"007", b".", b"[1,2]", b"{}",
    b'"', b'""', b'"""', b",", b",,", b"\r", b"\n", b"\r\n", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"null",
    b'"12/31/9999 23:59:59"', b'"00/00/0000 00:00:00"', b'"3/4/05 1:02"', b"99/99/99 99:99", b"22:42:26",
    b'"(PDH-CSV 4.0) (UTC)(99999999)"', b"\\\\h\\Memory\\Free MBytes", b"   -", b'    73.1"8.93"', b"Y",
    b"1_0", b"\\\\", b"\\", b"(", b")", b"\xe2\x98\x83",
)  # fmt: skip

MUTATIONS: Sequence[Mutation] = (
    flip_bits, truncate, splice, insert_bytes, insert_text, replace_cells, shuffle_lines, lengthen, compress,
)  # fmt: skip


def originals() -> list[bytes]:
    """Return the captures to mutate: esxtop's own, one that a spreadsheet saved, one of several hosts.

    Real captures are added where the machine has some.
    """
    two = host_columns("esx01") + host_columns("esx02", vms={"web": 3})
    found = [
        capture(12).text(),
        capture(30, style=Style(quote="", line_end="\r\n", stamp="%d/%m/%Y %H:%M", trailing=False)).text(),
        capture(5, style=Style(delimiter=";", quote="", decimal=",")).text(),
        capture(5, style=Style(line_end="\r", quote="")).text(),
        Written(two, plausible_rows(two, 4)).text(),
        capture(6)
        .text()
        .replace('"20.', '    73.1"20.')
        .replace("\\Memory\\", "\\RDMA Device(vmrdma0:b:Active)\\"),
    ]
    data = [text.encode() for text in found]
    data.append(capture(4).text().encode("utf-16"))
    names = ("esxtop-resaved-by-excel.csv", "nfs-volume-header-and-samples.extract.csv")
    return data + [(REAL / name).read_bytes() for name in names if (REAL / name).exists()]


def mutants(first: int, count: int) -> Iterator[tuple[int, str, bytes]]:
    """Yield the number, the description and the content of each mutant."""
    sources = originals()
    for number in range(first, first + count):
        rnd = random.Random(number)
        data, names = rnd.choice(sources), []
        for mutate in rnd.choices(MUTATIONS, k=rnd.choice((1, 1, 2, 3))):
            if data:
                data = mutate(rnd, data)
                names.append(mutate.__name__)
        yield number, "+".join(names), data


def try_one(data: bytes, folder: Path, catalogue: Catalogue) -> str:
    """Import one capture; return ``imported``, or the class name of the
    HyperscopeError that refused the capture.

    Any other exception passes through: it is a finding.
    """
    file, out = folder / "mutant.csv", folder / "mutant.hscope"
    file.write_bytes(data)
    out.unlink(missing_ok=True)
    try:
        import_captures([file], out, workers=0, catalogue=catalogue)
    except HyperscopeError as error:
        left = [path.name for path in folder.iterdir() if path != file]
        if left:
            raise AssertionError(f"left behind: {left}") from error
        return type(error).__name__
    return "imported"


def fuzz(first: int, count: int, folder: Path, *, keep: Path | None = None) -> Report:
    """Import ``count`` mutants in ``folder``, and run every reading
    command on each session that an import made.

    Files of findings are copied to ``keep``.
    """
    catalogue, report = load_catalogue(), Report()
    with cards_read_once():
        for number, name, data in mutants(first, count):

            def act(outcomes: Counter[str], data: bytes = data) -> None:
                with interrupted_when_slow():
                    outcome = try_one(data, folder, catalogue)
                outcomes[outcome] += 1
                if outcome == "imported":
                    run_all(folder / "mutant.hscope", outcomes)

            if not report.attempt(number, name, act) and keep is not None:
                (keep / f"{number}.csv").write_bytes(data)
    return report


def main() -> int:
    """Run the fuzzer from the command line; returns exit code 1 for findings, or for too much memory."""
    return run_fuzzer(fuzz, __doc__.split("\n")[0], default_count=10_000, max_megabytes=MAX_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
