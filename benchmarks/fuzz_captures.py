"""Mutated captures: whatever a file holds, importing it ends soon, in little memory, and without a traceback.

``python -m benchmarks.fuzz_captures --count 10000`` imports that many; a test imports some hundreds. Each
mutation is told by its number alone, so that ``--first N --count 1`` repeats it.
"""

from __future__ import annotations

import argparse
import faulthandler
import gzip
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
import zstandard

from collectors.esxtop import import_captures
from resources.catalogue import Catalogue, load_catalogue
from resources.failures import HyperscopeError
from sessions.store import SessionReader
from tests.esxtop.captures import Style, Written, capture, host_columns, plausible_rows

REAL = Path(__file__).resolve().parents[2] / "shared" / "data"
_MOST_SECONDS = 20.0
_MOST_BYTES = 450_000_000

Mutation = Callable[[random.Random, bytes], bytes]


def flip_bits(rnd: random.Random, data: bytes) -> bytes:
    """A few bits of a few bytes."""
    changed = bytearray(data)
    for _ in range(rnd.randint(1, 30)):
        changed[rnd.randrange(len(changed))] ^= 1 << rnd.randrange(8)
    return bytes(changed)


def truncate(rnd: random.Random, data: bytes) -> bytes:
    """The end is missing, or the beginning."""
    at = rnd.randrange(len(data))
    return data[:at] if rnd.random() < 0.8 else data[at:]


def splice(rnd: random.Random, data: bytes) -> bytes:
    """A piece is missing, doubled, or somewhere else."""
    a, b = sorted(rnd.randrange(len(data)) for _ in range(2))
    c = rnd.randrange(len(data))
    return rnd.choice([data[:a] + data[b:], data[:b] + data[a:], data[:c] + data[a:b] + data[c:]])


def insert_bytes(rnd: random.Random, data: bytes) -> bytes:
    """Random bytes in the middle."""
    at = rnd.randrange(len(data))
    return data[:at] + rnd.randbytes(rnd.choice([1, 10, 1000])) + data[at:]


def insert_text(rnd: random.Random, data: bytes) -> bytes:
    """What trips parsers, at random places."""
    for _ in range(rnd.randint(1, 6)):
        at = rnd.randrange(len(data))
        data = data[:at] + rnd.choice(_TRIPPING) + data[at:]
    return data


def replace_cells(rnd: random.Random, data: bytes) -> bytes:
    """Cells, times and names with something else in them."""
    lines = data.split(b"\n")
    for _ in range(rnd.randint(1, 8)):
        row = rnd.randrange(len(lines))
        cells = lines[row].split(b",")
        cells[rnd.randrange(len(cells))] = rnd.choice(_TRIPPING)
        lines[row] = b",".join(cells)
    return b"\n".join(lines)


def shuffle_lines(rnd: random.Random, data: bytes) -> bytes:
    """Lines in another order, doubled, the header repeated."""
    lines = data.split(b"\n")
    for _ in range(rnd.randint(1, 5)):
        line = rnd.choice([lines[0], rnd.choice(lines), b"", b'"(PDH-CSV 4.0) (UTC)(0)"'])
        lines.insert(rnd.randrange(len(lines) + 1), line)
    if rnd.random() < 0.3:
        rnd.shuffle(lines)
    return b"\n".join(lines)


def lengthen(rnd: random.Random, data: bytes) -> bytes:
    """A very long line, cell or name."""
    at = rnd.randrange(len(data))
    return (
        data[:at]
        + rnd.choice([b"x", b"9", b'"', b",", b"\x00", b"\\", b"(", b"[", b" "]) * 2_000_000
        + data[at:]
    )


def compress(rnd: random.Random, data: bytes) -> bytes:
    """Compressed, then damaged."""
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
    """Captures to mutate: esxtop's own, a spreadsheet's, of several hosts; real ones if at hand."""
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
    """Number, name and content of each mutant."""
    sources = originals()
    for number in range(first, first + count):
        rnd = random.Random(number)
        mutate = rnd.choice(MUTATIONS)
        data = mutate(rnd, rnd.choice(sources))
        if data and rnd.random() < 0.25:
            data = rnd.choice(MUTATIONS)(rnd, data)
        yield number, mutate.__name__, data


def try_one(data: bytes, folder: Path, catalogue: Catalogue) -> str:
    """``imported`` or the name of the failure; anything but a HyperscopeError escapes."""
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
    with SessionReader.open(out) as reader:
        reader.info()
    return "imported"


def main() -> int:
    """Import mutants and count what came of them; 1 when any took too long or too much."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--count", type=int, default=10_000)
    words.add_argument("--first", type=int, default=0)
    asked = words.parse_args()
    warnings.simplefilter("error")
    catalogue, process = load_catalogue(), psutil.Process()
    outcomes: Counter[str] = Counter()
    slowest, largest = (0.0, -1), 0
    with tempfile.TemporaryDirectory() as folder:
        for number, name, data in mutants(asked.first, asked.count):
            faulthandler.dump_traceback_later(5 * _MOST_SECONDS, exit=True)
            began = time.perf_counter()
            try:
                outcomes[try_one(data, Path(folder), catalogue)] += 1
            except BaseException:
                print(f"mutant {number} ({name}, {len(data)} bytes)", file=sys.stderr)
                raise
            slowest = max(slowest, (time.perf_counter() - began, number))
            largest = max(largest, process.memory_info().rss)
            if number % 500 == 0:
                print(number, dict(outcomes), f"{slowest[0]:.2f} s", f"{largest / 1e6:.0f} MB", flush=True)
    print(f"{asked.count} mutants: {dict(outcomes)}")
    print(f"slowest {slowest[0]:.2f} s (number {slowest[1]}), memory at most {largest / 1e6:.0f} MB")
    return int(slowest[0] > _MOST_SECONDS or largest > _MOST_BYTES)


if __name__ == "__main__":
    sys.exit(main())
