"""The scoreboard on coarse and plain recordings: one line for each way to show the lab.

    python -m benchmarks.coarse_boards --seeds 2 [--scenario GLOB] [--out FILE.jsonl] [--markdown FILE]

esxtop at 2, 5, 20, 60 and 300 s, with the counters of ``-b -a`` and of plain ``-b``; a vCenter's samples of
20 s and its rollups of 300 s at statistics level 1. What each is asked for: ``benchmarks.asked``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from benchmarks.scoreboard import add_board_options, progress_printer, run
from benchmarks.scores import Score
from benchmarks.shown import ESXTOP_INTERVALS, REALTIME_S, ROLLUP_S, Shown


def every_view() -> Iterator[Shown]:
    """Yield each way to show the lab."""
    for interval_s in ESXTOP_INTERVALS:
        yield Shown("esxtop", interval_s)
    for interval_s in ESXTOP_INTERVALS:
        yield Shown("esxtop", interval_s, "plain")
    yield Shown("vcenter", REALTIME_S)
    yield Shown("vcenter", ROLLUP_S)


def table(scores: Sequence[tuple[Shown, Score]]) -> str:
    """Format the scores as a Markdown table."""
    titles = (
        "shown as", "true", "not asked for", "recall", "precision", "false alarms", "first cause right",
        "verdicts right",
    )  # fmt: skip
    lines = [f"| {' | '.join(titles)} |", "|---" + "|---:" * (len(titles) - 1) + "|"]
    for shown, score in scores:
        lines.append(
            f"| {shown.label} | {score.truths + score.unasked} | {score.unasked} | {score.recall:.3f} | "
            f"{score.precision:.3f} | {score.alarms} | {score.cause:.3f} | {score.verdicts:.4f} |"
        )
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all boards and print the table, then with ``--misses`` what was wrong in each."""
    parser = argparse.ArgumentParser(prog="coarse_boards", description=__doc__.splitlines()[0])
    add_board_options(parser, seeds=2)
    options = parser.parse_args(arguments)
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    scores = []
    for shown in every_view():
        print(f"== {shown.label}", file=sys.stderr, flush=True)
        board = run(
            seeds, options.scenario, options.workers, shown=shown, out=options.out,
            progress=progress_printer(), written_from=options.written_from,
        )  # fmt: skip
        scores.append((shown, board.overall))
        if options.misses:
            print("\n".join(board.overall.misses), flush=True)
    text = table(scores)
    print(text)
    if options.markdown:
        options.markdown.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
