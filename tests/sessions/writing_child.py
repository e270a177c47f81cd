"""Run by path, in a process of its own: writes a session for ever, and says what is stored.

    python writing_child.py SESSION [PAUSE_S]

Prints ``ready`` and then a line for each acknowledged write: ``tick N``, ``block FIRST LAST``. A tick's
values are functions of its number, so that who reads the session can tell whether they are right.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from sessions.model import Entity, EntityRef, FloatArray, IntArray, SeriesSpec, SourceSpec
from sessions.store import SessionWriter, encode_block

T0 = 1_700_000_000_000
SERIES = 40
BLOCK = 30
HOST = EntityRef("host", "esx01")


def stored(ticks: IntArray) -> FloatArray:
    """Values (len(ticks), SERIES) of ticks."""
    columns = np.arange(SERIES)
    values: FloatArray = ((ticks[:, None] * (columns + 1)) % (7 + columns)) / 4.0
    values[:, 0] = 12.5
    return values


def write(path: Path, pause_s: float) -> None:
    """Append ticks to the first source, blocks to the second, until somebody ends the process."""
    writer = SessionWriter.create(path, durable=False)
    writer.add_entities([Entity(HOST, "esx01")])
    layouts = []
    for name in ("ticks", "blocks"):
        source = writer.add_source(SourceSpec("lab", name))
        ids = writer.add_series(source, [SeriesSpec(HOST, f"c{i}", "") for i in range(SERIES)])
        layouts.append(writer.add_layout(source, ids))
    print("ready", flush=True)
    tick = block = 0
    while True:
        writer.append_ticks([(layouts[0], T0 + tick, stored(np.array([tick]))[0])])
        print(f"tick {tick}", flush=True)
        tick += 1
        if tick % 7 == 0:
            ticks = np.arange(block * BLOCK, (block + 1) * BLOCK)
            writer.add_block(layouts[1], encode_block(T0 + ticks, stored(ticks)))
            print(f"block {ticks[0]} {ticks[-1]}", flush=True)
            block += 1
        if tick % 40 == 0:
            writer.ticks.compact()
        if pause_s:
            time.sleep(pause_s)


if __name__ == "__main__":
    write(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0.0)
