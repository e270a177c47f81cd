"""``compare``: two windows of one session or of two: what is higher, lower, the same."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated

import typer

from app.commands.compare_text import write_comparison
from app.commands.options import AsJson, Times, clock_of, named_window
from app.commands.query import entities_called, matches
from app.consoles import progress_bar, results
from app.terminal import cancellable, print_json
from diagnosis.comparison import Choice, Comparison, Row, Side, compare
from diagnosis.comparison.document import comparison_json
from diagnosis.comparison.records import Records
from diagnosis.comparison.windows import (
    AFTER,
    BEFORE,
    DAY_AFTER,
    DAY_BEFORE,
    Windows,
    windows_of_one,
    windows_of_two,
)
from resources.catalogue import load_catalogue
from resources.comparison_rules import load_comparison_rules
from resources.failures import CancelledError, NotFoundError
from resources.foreign_text import visible
from resources.problem_cards import load_problems
from sessions.clock import UTC_ZONE, Clock
from sessions.export.csv_table import CsvRows
from sessions.model import EntityRef
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.comparison_texts import distinct_ranks
from viewmodels.possible_samples import without_impossible_samples

_TOP, _REASONS = 20, 3


def compare_(
    session: Annotated[Path, typer.Argument(metavar="A.hscope", help="A session file.", show_default=False)],
    other: Annotated[
        Path | None,
        typer.Argument(
            metavar="[B.hscope]", help="Another session; without it both windows are of A.hscope."
        ),
    ] = None,
    window_a: Annotated[
        str,
        typer.Option(
            "--a",
            metavar="T..T",
            help="Window A, from..to; or before, day-before: that of B, earlier (--times).",
        ),
    ] = "",
    window_b: Annotated[
        str,
        typer.Option(
            "--b", metavar="T..T", help="Window B, from..to; or after, day-after: that of A, later."
        ),
    ] = "",
    entity: Annotated[
        str,
        typer.Option(metavar="GLOB", help="Only entities of this name, as in 'SQL*'; kind:name narrows."),
    ] = "*",
    parts: Annotated[
        bool, typer.Option("--parts", help="With what --entity names also its parts: vCPUs, disks, ports.")
    ] = False,
    counter: Annotated[str, typer.Option(metavar="GLOB", help="Only counters of these keys: 'cpu.*'.")] = "*",
    leave_out: Annotated[
        list[str] | None,
        typer.Option(metavar="T..T", help="Time that does not count, on either side; may be repeated."),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1, help="So many rows; 20 in the text, all in --json and --csv.", show_default=False
        ),
    ] = None,
    times: Times = UTC_ZONE,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a line for each row.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compare two windows of one session, or two sessions: before and after.

    Each difference comes with its interval and a verdict (higher, lower, same, undecided), corrected for all
    comparisons. Without --a and --b: the halves of one session, or two whole sessions.
    """
    with SessionReader.open(session) as reader, _opened(other) as second:
        clock = clock_of(reader, times)
        windows = _windows(reader, second, window_a, window_b, clock)
        out = tuple(named_window(text, clock, "--leave-out") for text in leave_out or ())
        first, last = without_impossible_samples((reader, second or reader))
        sides = Side(first, windows.a, out), Side(last, windows.b, out)
        _require_samples(sides)
        with cancellable() as cancel, progress_bar("Comparing") as show:

            def step(part: float) -> None:
                if cancel.is_set():
                    raise CancelledError("Comparing was stopped.")
                show(0.9 + 0.1 * part, "percentiles")

            catalogue = load_catalogue()
            knowledge = (catalogue, load_problems(), load_comparison_rules(catalogue))
            choice = _choice(sides, entity, counter, with_parts=parts)
            found = compare(
                *sides,
                choice,
                knowledge,
                progress=lambda part, text: show((part or 0) * 0.9, text),
                cancel=cancel,
            )
            _require_pairs(found, entity, counter)
            as_text = not (as_json or as_csv)
            ranks = distinct_ranks(found, top or _TOP, _REASONS)
            all_ranks = range(min(top or len(found.pairs), len(found.pairs)))
            chosen = [*ranks.changed, *ranks.undecided] if as_text else all_ranks
            rows = list(found.rows(chosen, step))
        if as_json:
            print_json(comparison_json(found, rows, windows))
        elif as_csv:
            _write_csv(rows)
        else:
            names = session.name, (other or session).name
            write_comparison(found, rows, ranks.alike, windows, names, clock, results())


def _opened(path: Path | None) -> AbstractContextManager[SessionReader | None]:
    return SessionReader.open(path) if path is not None else nullcontext()


def _windows(
    reader: SessionReader, second: SessionReader | None, text_a: str, text_b: str, clock: Clock
) -> Windows:
    a, b = _named(text_a, clock, "--a"), _named(text_b, clock, "--b")
    spans = reader.span(), (second or reader).span()
    for side, span in zip("AB", spans, strict=True):
        if span is None:
            raise NotFoundError(f"Session {side} has no samples.", meaning="There is nothing to compare.")
    first, last = spans
    assert first is not None
    assert last is not None
    if second is not None:
        return windows_of_two((first, last), a, b)
    return windows_of_one(first, a, b, clock.days_later)


def _named(text: str, clock: Clock, option: str) -> TimeRange | str | None:
    if not text:
        return None
    allowed = (BEFORE, DAY_BEFORE) if option == "--a" else (AFTER, DAY_AFTER)
    return text if text in allowed else named_window(text, clock, option)


def _choice(sides: tuple[Side, Side], entity: str, counter: str, *, with_parts: bool) -> Choice:
    """Entities of that name on either side. Raises NotFoundError if there are none."""
    if entity == "*":
        return Choice(counter=lambda key: matches(key, counter))
    a, b = (
        _matching(Records(side.session), side.window.end, entity, with_parts=with_parts) for side in sides
    )
    if not a and not b:
        raise NotFoundError(
            f"No entity is called {entity!r}, in A nor in B.",
            advice="'hyperscope query S.hscope' lists all; names match as globs.",
        )
    return Choice((a, b), lambda key: matches(key, counter))


def _matching(records: Records, at: int, glob: str, *, with_parts: bool) -> set[EntityRef]:
    found = entities_called({ref: records.name(ref, at) for ref in records.entities}, glob)
    return found | records.parts_of(found) if with_parts else found


def _require_samples(sides: tuple[Side, Side]) -> None:
    for name, side in zip("AB", sides, strict=True):
        if not any(side.ticks(one.id) for one in side.session.sources()):
            raise NotFoundError(
                f"Window {name} has no samples.",
                meaning="Nothing was recorded then, or all of it was left out.",
                advice="'hyperscope info' says what time the session covers, and where gaps are.",
            )


def _require_pairs(found: Comparison, entity: str, counter: str) -> None:
    if found.pairs:
        return
    if entity != "*" or counter != "*":
        raise NotFoundError(
            f"Nothing called {entity!r} with counters {counter!r} was measured in both windows.",
            advice="Without --entity and --counter all is compared that both windows have.",
        )
    raise NotFoundError(
        "No entity was measured in both windows.",
        meaning="The sessions are of different hosts, or their names and identities have nothing in common.",
    )


_CSV = (
    *("rank", "kind", "entity", "counter", "instance", "unit", "n_a", "n_b", "mean_a", "mean_b"),
    *("p50_a", "p50_b", "p95_a", "p95_b", "p99_a", "p99_b", "difference", "low", "high", "ratio"),
    *("effect", "chance", "corrected_chance", "verdict", "judged", "because"),
)


def _write_csv(rows: list[Row]) -> None:
    """One line for each row; on a terminal, names are made safe to show."""
    out = CsvRows(sys.stdout, _CSV)
    text: Callable[[str], str] = visible if sys.stdout.isatty() else str
    lines = [(*_who(row, text), *_numbers(row), row.verdict, row.judged, row.why) for row in rows]
    out.write(list(zip(*lines, strict=True)))


def _who(row: Row, text: Callable[[str], str]) -> tuple[str, ...]:
    return str(row.rank), row.entity.kind, *map(text, (row.name_in_b, row.counter, row.instance, row.unit))


def _numbers(row: Row) -> tuple[float | int | None, ...]:
    pairs = [(row.a.n, row.b.n), (row.a.mean, row.b.mean), (row.a.p50, row.b.p50)]
    pairs += [
        (row.a.p95, row.b.p95),
        (row.a.p99, row.b.p99),
        (row.difference, *(row.interval or (None, None))),
    ]
    numbers = [number for pair in pairs for number in pair]
    return *numbers, row.ratio, row.effect, row.chance, row.corrected
