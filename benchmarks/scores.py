"""What a board counts: true problems, what was found of them, false alarms, first causes and verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

GOAL_RECALL = 0.98
GOAL_PRECISION = 0.98
GOAL_CAUSE = 0.95
GOAL_VERDICTS = 0.98
_QUIET = ("healthy", "lookalike")


@dataclass(slots=True)
class Score:
    """Counts of true problems, findings and false alarms of one problem (or of one scenario).

    ``orders`` counts the steps that findings ask for without a cause that the numbers support. ``any_cause``
    counts the found problems whose scenario asks for no certain first cause, ``checks`` the verdicts.
    ``unasked`` are true problems that the recording can't show: they are no ``truths``.
    """

    truths: int = 0
    found: int = 0
    cause_right: int = 0
    alarms: int = 0
    orders: int = 0
    any_cause: int = 0
    checks: int = 0
    checks_right: int = 0
    unasked: int = 0
    misses: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Add the counts of another score."""
        self.truths += other.truths
        self.found += other.found
        self.cause_right += other.cause_right
        self.alarms += other.alarms
        self.orders += other.orders
        self.any_cause += other.any_cause
        self.checks += other.checks
        self.checks_right += other.checks_right
        self.unasked += other.unasked
        self.misses += other.misses

    @property
    def recall(self) -> float:
        """Fraction of the true problems that were found, 0 to 1."""
        return self.found / self.truths if self.truths else 1.0

    @property
    def precision(self) -> float:
        """Fraction of the findings that are true, 0 to 1."""
        raised = self.found + self.alarms
        return self.found / raised if raised else 1.0

    @property
    def cause(self) -> float:
        """Fraction of the found problems whose first cause is the one that the scenario injected, 0 to 1."""
        asked = self.found - self.any_cause
        return self.cause_right / asked if asked else 1.0

    @property
    def verdicts(self) -> float:
        """Fraction of the checks whose verdict is right, 0 to 1."""
        return self.checks_right / self.checks if self.checks else 1.0

    @property
    def meets_goals(self) -> bool:
        """True if no fraction is below its goal."""
        return (
            self.recall >= GOAL_RECALL
            and self.precision >= GOAL_PRECISION
            and self.cause >= GOAL_CAUSE
            and self.verdicts >= GOAL_VERDICTS
        )

    def document(self) -> dict[str, float | int]:
        """Return the counts and fractions as a JSON-ready dict."""
        return {
            "truths": self.truths,
            "found": self.found,
            "not_asked": self.unasked,
            "false_alarms": self.alarms,
            "unsupported_orders": self.orders,
            "recall": round(self.recall, 4),
            "precision": round(self.precision, 4),
            "first_cause": round(self.cause, 4),
            "verdicts": round(self.verdicts, 4),
        }


@dataclass(slots=True)
class Board:
    """Scores by problem and by scenario."""

    seeds: int
    problems: dict[str, Score] = field(default_factory=dict)
    scenarios: dict[str, Score] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def overall(self) -> Score:
        """Return the score of all problems together."""
        total = Score()
        for score in self.problems.values():
            total.add(score)
        return total

    def missed_goals(self) -> list[str]:
        """List the missed goals: problems below a goal, quiet scenarios with false alarms, orders without a
        cause that the numbers support.
        """
        below = [
            f"{name}: recall {score.recall:.3f}, precision {score.precision:.3f}, cause {score.cause:.3f}, "
            f"verdicts {score.verdicts:.3f}"
            for name, score in sorted(self.problems.items())
            if not score.meets_goals
        ]
        loud = [
            f"{name}: {score.alarms} false alarms"
            for name, score in sorted(self.scenarios.items())
            if score.alarms and name.startswith(_QUIET)
        ]
        ordered = [
            f"{name}: {score.orders} steps ordered without a cause that the numbers support"
            for name, score in sorted(self.problems.items())
            if score.orders
        ]
        return below + loud + ordered

    def add(self, scenario: str, scores: Mapping[str, Score]) -> None:
        """Add the scores of one run of a scenario."""
        row = self.scenarios.setdefault(scenario, Score())
        for problem, score in scores.items():
            self.problems.setdefault(problem, Score()).add(score)
            row.add(score)

    def document(self) -> dict[str, object]:
        """Return the board as a JSON-ready dict."""
        return {
            "seeds": self.seeds,
            "overall": self.overall.document(),
            "problems": {name: score.document() for name, score in sorted(self.problems.items())},
            "scenarios": {name: score.document() for name, score in sorted(self.scenarios.items())},
        }


def markdown(board: Board) -> str:
    """Format the board as a Markdown table, problems first."""
    unasked = board.overall.unasked
    hidden = f" {unasked} more true problems are not asked for." if unasked else ""
    lines = [
        f"{board.seeds} seeds a scenario, {len(board.scenarios)} scenarios.{hidden}",
        "",
        "| problem | truths | recall | precision | first cause right | false alarms | verdicts right |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    rows = [*sorted(board.problems.items()), ("**all**", board.overall)]
    lines += [_row(name, score) for name, score in rows]
    lines += ["", "| scenario | truths | recall | first cause right | false alarms |"]
    lines.append("|---|---:|---:|---:|---:|")
    lines += [
        f"| {name} | {score.truths} | {score.recall:.3f} | {score.cause:.3f} | {score.alarms} |"
        for name, score in sorted(board.scenarios.items())
    ]
    return "\n".join(lines) + "\n"


def _row(name: str, score: Score) -> str:
    numbers = f"{score.recall:.3f} | {score.precision:.3f} | {score.cause:.3f}"
    return f"| {name} | {score.truths} | {numbers} | {score.alarms} | {score.verdicts:.4f} |"
