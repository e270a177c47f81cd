"""A comparison as its page shows it: the answer in a sentence, rows with their whiskers, and what each row's
samples look like.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from diagnosis.comparison import Comparison, Row
from diagnosis.comparison.values import Verdict
from resources.catalogue import Catalogue
from resources.comparison_rules import ConfidenceLimits
from resources.units import format_count
from sessions.model import EntityRef, FloatArray
from viewmodels.comparison_curves import histograms, overlaid, pair_of
from viewmodels.comparison_texts import (
    cells,
    distinct_ranks,
    few_samples,
    indicative_note,
    is_named,
    much_undecided,
)
from viewmodels.elision import NameSet
from viewmodels.health import Health
from viewmodels.possible_samples import series_left_out
from viewmodels.text_table import TextTable

Confidence = Literal["high", "medium", "low", "indicative"]
CONFIDENCE_BARS: Mapping[Confidence, int] = {"high": 3, "medium": 2, "low": 1, "indicative": 0}
JUDGED_STATES: Mapping[str, Health] = {
    "better": "ok", "worse": "critical", "to know": "info", "undecided": "none", "same": "part",
}  # fmt: skip
"""Which symbol each verdict has."""
_AREAS = {
    "cpu": "CPU", "power": "CPU", "numa": "CPU", "interrupt": "CPU", "mem": "Memory", "disk": "Storage",
    "vdisk": "Storage", "vaai": "Storage", "nfs": "Storage", "datastore": "Storage", "vsan": "Storage",
    "net": "Network",
}  # fmt: skip
AREAS = ("CPU", "Memory", "Storage", "Network", "Other")
MOST_ROWS = 2_000
"""A table of more changes than these helps nobody; the CSV of the command has all."""
MOST_OTHERS = 500
_HEADLINE_NAME = 44


@dataclass(frozen=True, slots=True)
class Whisker:
    """The change and its interval in parts of A, on an axis from −1 to 1 (−100 % to +100 %); what lies beyond
    is at its end.
    """

    low: float
    middle: float
    high: float


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A row of the table; texts are safe to show. ``alike`` says how many more rows have the very same
    numbers; ``rank`` is the place among all of them, ``place`` that among those that are shown.
    """

    rank: int
    place: int
    entity: EntityRef
    name: str
    counter_key: str
    counter: str
    area: str
    unit: str
    a: str
    b: str
    change: str
    interval: str
    whisker: Whisker | None
    verdict: Verdict
    judged: str
    confidence: Confidence
    samples: str
    why: str
    alike: int = 0


@dataclass(frozen=True, slots=True)
class RowShape:
    """How the samples of a row are distributed: ``effect`` is Cliff's delta (NaN: unknown), ``a`` and ``b``
    are how often values occur, as parts of each side's most frequent one, shapes (bins,) or empty.
    """

    effect: float
    a: FloatArray
    b: FloatArray


@dataclass(frozen=True, slots=True)
class PageHead:
    """The answer: a symbol, a sentence, counts, and what limits it (empty for nothing).

    ``sure`` are the judgements (``better``, ``worse``) of which at least one is more than indicative.
    """

    state: Health
    line: str
    better: int
    worse: int
    to_know: int
    same: int
    undecided: int
    about: str
    limits: str
    sure: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ComparisonPage:
    """All that the page shows of a comparison; ``rows`` are the changes, ranked. ``total`` counts changes
    with the very same numbers, too.
    """

    head: PageHead
    rows: Sequence[ComparedRow]
    total: int
    areas: Mapping[str, int] = field(default_factory=dict)


def comparison_page(found: Comparison, catalogue: Catalogue) -> ComparisonPage:
    """Return the page of a comparison; call this in a worker."""
    ranks = distinct_ranks(found, MOST_ROWS, 0)
    rows = list(_rows(found, ranks.changed, catalogue, ranks.alike))
    areas = {area: sum(1 for one in rows if one.area == area) for area in AREAS}
    total = found.counts["higher"] + found.counts["lower"]
    return ComparisonPage(page_head(found, rows), rows, total, {k: n for k, n in areas.items() if n})


def other_rows(found: Comparison, verdict: Verdict, catalogue: Catalogue) -> list[ComparedRow]:
    """Return the first rows that are undecided or the same; call this in a worker."""
    changed = found.counts["higher"] + found.counts["lower"]
    first = changed if verdict == "undecided" else changed + found.counts["undecided"]
    count = min(found.counts[verdict], MOST_OTHERS)
    return list(_rows(found, range(first, first + count), catalogue, {}, first + 1))


def row_shapes(found: Comparison, rows: Sequence[ComparedRow]) -> dict[int, RowShape]:
    """Read the samples of rows and return how they are distributed, by rank; call this in a worker."""
    made = found.rows([one.rank - 1 for one in rows])
    shapes: dict[int, RowShape] = {}
    for row in made:
        a, b, _ = histograms(overlaid(found, pair_of(found, row)))
        a, b = (one / max(float(one.max(initial=0.0)), 1e-9) for one in (a, b))
        shapes[row.rank] = RowShape(row.effect, a, b)
    return shapes


def _rows(
    found: Comparison, ranks: Sequence[int], catalogue: Catalogue, alike: Mapping[int, int], first: int = 1
) -> Iterator[ComparedRow]:
    limits = found.importance.rules.confidence
    for number, (rank, row) in enumerate(zip(ranks, found.outline_of(ranks), strict=True)):
        yield _compared(row, first + number, catalogue, limits, alike.get(rank, 0))


def _compared(
    row: Row, place: int, catalogue: Catalogue, limits: ConfidenceLimits, alike: int
) -> ComparedRow:
    texts = cells(row, catalogue)
    return ComparedRow(
        rank=row.rank,
        place=place,
        entity=row.entity,
        name=texts.name,
        counter_key=row.counter,
        counter=texts.counter,
        area=area_of(row.counter),
        unit=row.unit,
        a=texts.a,
        b=texts.b,
        change=texts.change,
        interval=texts.interval,
        whisker=None if is_named(row, catalogue) else whisker(row),
        verdict=row.verdict,
        judged=texts.judged,
        confidence=confidence(row, limits),
        samples=_samples(row),
        why=row.why,
        alike=alike,
    )


def area_of(counter: str) -> str:
    """Return the area that a counter's key belongs to: ``Storage`` for ``vdisk.read_latency``."""
    return _AREAS.get(counter.partition(".")[0], "Other")


def whisker(row: Row) -> Whisker | None:
    """Return the change and its interval as parts of A, those of percentages, too: the axis is one for all
    rows. None where it is unknown.

    Where A may be nothing, they are parts of the larger side.
    """
    if row.interval is None:
        return None
    low, high = row.interval
    if row.ratio_interval is not None and row.ratio is not None and row.a.mean > 0:
        ends = (row.ratio_interval[0] - 1, row.ratio - 1, row.ratio_interval[1] - 1)
    else:
        whole = max(abs(row.a.mean), abs(row.b.mean)) or 1.0
        ends = (low / whole, row.difference / whole, high / whole)
    first, middle, last = (min(max(end, -1.0), 1.0) for end in ends)
    return Whisker(first, middle, last)


def confidence(row: Row, limits: ConfidenceLimits) -> Confidence:
    """Return how sure a difference is; with few independent samples it is only indicative."""
    if min(row.a.effective, row.b.effective) < limits.independent_least.value:
        return "indicative"
    if row.corrected <= limits.high.value:
        return "high"
    return "medium" if row.corrected <= limits.medium.value else "low"


def _samples(row: Row) -> str:
    n = f"n = {format_count(row.a.n)} and {format_count(row.b.n)}"
    effective = " and ".join(format_count(round(one.effective)) for one in (row.a, row.b))
    return f"{n}, independent {effective}"


def page_head(found: Comparison, rows: Sequence[ComparedRow]) -> PageHead:
    """Return the answer in a sentence, with counts and what limits it: never surer than the rows are."""
    counts, judged = found.counts, found.judged
    better, worse, to_know = (judged.get(what, 0) for what in ("better", "worse", "to know"))
    sure = frozenset(
        what for what in ("better", "worse") if judged.get(what, 0) > found.indicative.get(what, 0)
    )
    total = format_count(len(found.pairs))
    about = (
        f"of {total} series, {format_count(counts['same'])} are the same, "
        f"{format_count(counts['undecided'])} undecided · corrected for all comparisons"
    )
    few = few_samples(found)
    limits = (few or indicative_note(found), series_left_out(side.session for side in found.sides))
    return PageHead(
        _state(found, sure, is_short=bool(few)), _line(found, rows, sure, few), better, worse, to_know,
        counts["same"], counts["undecided"], about, " ".join(one for one in limits if one), sure,
    )  # fmt: skip


def _state(found: Comparison, sure: frozenset[str], *, is_short: bool) -> Health:
    """Red and green only for what is more than indicative, and for no difference only if hardly anything is
    undecided.
    """
    judged, counts = found.judged, found.counts
    if judged.get("worse"):
        return "critical" if "worse" in sure else "warning"
    if judged.get("better"):
        return "ok" if "better" in sure else "info"
    if judged.get("to know"):
        return "info"
    return "none" if is_short or not counts["same"] or much_undecided(found) else "ok"


def _line(found: Comparison, rows: Sequence[ComparedRow], sure: frozenset[str], few: str) -> str:
    """The first change with a meaning as a sentence, and how the others went."""
    better, worse, to_know = (found.judged.get(what, 0) for what in ("better", "worse", "to know"))
    if not found.pairs:
        return "Nothing could be compared: no counter of no entity was measured in both windows."
    if not better + worse + to_know:
        return _nothing_differs(found, is_short=bool(few))
    wanted = "worse" if worse else "better" if better else "to know"
    of_kind = [one for one in rows if one.judged == wanted]
    first = next((one for one in of_kind if one.confidence != "indicative"), next(iter(of_kind), None))
    name = NameSet([first.name]).elided(first.name, _HEADLINE_NAME, len) if first is not None else ""
    said = f"{first.counter} of {name}: {first.a} → {first.b}." if first is not None else ""
    if wanted != "to know" and wanted not in sure:
        said = f"Indicative only: {said}"
    if not worse:
        much = much_undecided(found)
        known = f"Nothing is known to be worse{f'; {much}' if much else ''}" if few or much else ""
        return f"{said} {known or 'Nothing got worse'}."
    more = f"{format_count(worse - 1)} more got worse" if worse > 1 else "Nothing else got worse"
    return f"{said} {more}, {format_count(better) if better else 'nothing'} better."


def _nothing_differs(found: Comparison, *, is_short: bool) -> str:
    same, undecided = (format_count(found.counts[one]) for one in ("same", "undecided"))
    if not found.counts["same"]:
        return "No verdict: all is undecided."
    if is_short:
        return f"No difference is seen in so few samples: {same} series are the same, {undecided} undecided."
    if much := much_undecided(found):
        return f"What can be told does not differ: {same} series are the same, {much}."
    return f"Nothing differs beyond the noise: {same} series are the same, {undecided} undecided."


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Which rows are shown: what they were judged, of which areas, with these words in their names or these
    numbers as they are printed, of one entity (None: of all).
    """

    judged: frozenset[str] = frozenset({"better", "worse", "to know"})
    areas: frozenset[str] = frozenset(AREAS)
    words: str = ""
    entity: EntityRef | None = None

    def has(self, row: ComparedRow) -> bool:
        """Return True if a row is shown."""
        if row.judged not in self.judged or row.area not in self.areas:
            return False
        if self.entity is not None and row.entity != self.entity:
            return False
        text = f"{row.name} {row.counter} {row.counter_key}".casefold()
        numbers = {one.lstrip("+") for one in f"{row.a} {row.b} {row.change}".split()}
        typed = self.words.replace("-", "−").split()
        return all(
            word in text or typed_word.lstrip("+") in numbers
            for word, typed_word in zip(self.words.casefold().split(), typed, strict=True)
        )


def charted(
    rows: Sequence[ComparedRow], chosen: ComparedRow | None, pinned: Sequence[ComparedRow], count: int
) -> list[ComparedRow]:
    """Return the rows whose charts are shown: those that are pinned, the chosen one, and up to ``count``
    others of the same entity, then the first ones.
    """
    found = {one.rank: one for one in (*pinned, *([chosen] if chosen is not None else []))}
    same = [one for one in rows if chosen is not None and one.entity == chosen.entity]
    for one in (*same, *rows):
        if len(found) >= count:
            break
        if all((one.counter_key, one.name) != (other.counter_key, other.name) for other in found.values()):
            found.setdefault(one.rank, one)
    return list(found.values())


def rows_table(rows: Sequence[ComparedRow], shapes: Mapping[int, RowShape], title: str) -> TextTable:
    """Return the rows as a table that leaves the window."""
    heads = ("rank", "entity", "counter", "key", "A", "B", "change", "interval", "effect", "confidence")
    lines = [
        (
            one.rank, one.name, one.counter, one.counter_key, one.a, one.b, one.change, one.interval,
            shapes[one.rank].effect if one.rank in shapes else None, one.confidence, one.judged, one.why,
        )
        for one in rows
    ]  # fmt: skip
    return TextTable(title, (*heads, "judged", "because"), tuple(lines))
