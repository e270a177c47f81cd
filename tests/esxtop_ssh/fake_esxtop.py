"""A FAKE esxtop: it measures nothing, and plays a capture as ``esxtop -b -a -d N`` would print it.

There is no ESXi host to test with. The captures that it plays are either a genuine one or the lab's, which is
printed in the grammar of genuine ones. How it plays is in ``plan.json`` in the folder $FAKE_ESXTOP:

* ``capture``: the file. ``from``: the row to begin with, the first if it is 0.
* ``every_s``: seconds between rows; without it those that -d asks for.
* ``stamps``: ``own``, or ``now`` for rows that are stamped with the host's present time, plus ``zone_s``. The
  host's clock is ahead of ours by the seconds in the file ``clock``, if there is one. ``on``: from the
  present time on, each row so many seconds after the one before as -d asks for, however fast it comes.
* ``rows``: end after so many. ``then``: ``end`` (with ``code``), ``hang``, or ``repeat`` from the first row;
  ``half``: it ends within a row.
* the file ``rows``: when it was written, and a capture of the same columns, whose rows follow those played so
  far; it is for an esxtop that was started before.
* ``greeting``, ``stderr``, ``garbage``: bytes before the header, to stderr, and after each row.

It ends as esxtop does: by a signal, or when nobody reads what it writes.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, BinaryIO

Plan = dict[str, Any]


def main(arguments: list[str]) -> int:
    if arguments == ["-v"]:
        print("esxtop version 8.0.3 (fake)")
        return 0
    if arguments[:3] != ["-b", "-a", "-d"] or not arguments[3].isdigit() or int(arguments[3]) < 2:
        sys.stderr.write(f"fake esxtop: {arguments} are not the arguments that it knows\n")
        return 2
    folder = Path(os.environ["FAKE_ESXTOP"])
    plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    with (folder / "starts").open("a", encoding="utf-8") as starts:
        starts.write(f"{os.getpid()}\n")
    plan["step_s"] = int(arguments[3])
    play(plan, float(plan.get("every_s", arguments[3])), sys.stdout.buffer, folder)
    if plan.get("then") == "hang":
        time.sleep(100_000)
    return int(plan.get("code", 0))


def play(plan: Plan, every_s: float, out: BinaryIO, folder: Path) -> None:
    sys.stderr.write(plan.get("stderr", ""))
    sys.stderr.flush()
    out.write(plan.get("greeting", "").encode())
    header, *rows = Path(plan["capture"]).read_bytes().splitlines(keepends=True)
    out.write(header)
    out.flush()
    played, due, began = 0, time.monotonic(), time.time()
    rows = rows[plan.get("from", 0) :]
    while rows:
        for row in rows:
            if played == plan.get("rows", -1):
                out.write(row[: len(row) // 2] if plan.get("then") == "half" else b"")
                return
            if played:
                due += every_s
                time.sleep(max(0.0, due - time.monotonic()))
            now = later_row(folder, began, played) or row
            ahead_s = (
                played * plan["step_s"] + began - time.time()
                if plan.get("stamps") == "on"
                else clock_s(folder)
            )
            out.write(stamped(now, plan, ahead_s) + plan.get("garbage", "").encode())
            out.flush()
            played += 1
        if plan.get("then") != "repeat":
            return


def later_row(folder: Path, began: float, played: int) -> bytes:
    path = folder / "rows"
    when, _, capture = path.read_text(encoding="utf-8").partition(" ") if path.exists() else ("0", "", "")
    if float(when) <= began:
        return b""
    rows = Path(capture).read_bytes().splitlines(keepends=True)[1:]
    return rows[played % len(rows)]


def clock_s(folder: Path) -> float:
    path = folder / "clock"
    return float(path.read_text(encoding="utf-8")) if path.exists() else 0.0


def stamped(row: bytes, plan: Plan, clock_s: float) -> bytes:
    if plan.get("stamps", "own") == "own" or not row.startswith(b'"'):
        return row
    now = time.gmtime(time.time() + clock_s + plan.get("zone_s", 0))
    return time.strftime('"%m/%d/%Y %H:%M:%S"', now).encode() + row[row.index(b'"', 1) + 1 :]


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python says so once more at its end
        sys.exit(1)
