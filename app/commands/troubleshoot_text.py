"""Prints guided runs and verifications on a terminal: first the sentence, then the number, then the rest."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from diagnosis.session_events import describe_change
from diagnosis.wrapped_text import wrapped
from resources.foreign_text import shown
from resources.guided_flow import load_flow
from resources.units import format_changes, format_count, format_duration, format_measured
from sessions.clock import Clock
from sessions.troubleshooting import (
    VERDICT_SYMBOLS,
    CheckedAgain,
    CheckResult,
    RuleLine,
    Step,
    TroubleshootingRun,
    Verification,
    VerifiedNumber,
    ranked,
)
from sessions.verdicts import CheckVerdict
from wizards.flows.troubleshooting.detail import (
    RuleWords,
    awaited_words,
    next_words,
    rules_of,
    worse_elsewhere,
)

_WIDEST = 120
_STYLES: dict[CheckVerdict, str] = {"problem": "red", "suspected": "yellow", "not found": "green"}
_OUTCOMES = {"fixed": "green", "better": "green", "worse": "red", "unchanged": "yellow"}
_LEFT = 44


class RunPage:
    """Prints on a console, wrapped to it, times in the zone of ``clock``."""

    def __init__(self, console: Console, clock: Clock) -> None:
        self._console, self._clock = console, clock
        self._width = min(console.width, _WIDEST)

    def runs(self, runs: Sequence[TroubleshootingRun]) -> None:
        """Print the runs of a session, a line or two each."""
        if not runs:
            self._line(
                "The session holds no guided run yet. 'troubleshoot S.hscope --entity NAME' makes one."
            )
        for run in runs:
            found = [one.title for one in ranked(run.checks)]
            last = run.verifications[-1] if run.verifications else None
            ended = f"; {last.outcome or last.state}" if last else ""
            self._line(f"{self._asked(run)}{ended}", lead=f"{run.number:>3}  ", style="bold")
            self._line("; ".join(found) or "nothing found", lead="     ")

    def run(self, run: TroubleshootingRun, *, is_kept: bool) -> None:
        """Print a run: its rows, then what was found, worst first, then what could not be judged."""
        self._line(self._asked(run), style="bold")
        normal = run.symptom.normal
        if normal is not None:
            self._line(f"Normal was {self._clock.window(normal)}.", style="dim")
        self._rows(run)
        for check in ranked(run.checks):
            self._check(check)
        self._line("")
        if not ranked(run.checks):
            self._nothing_found(run)
        self._lacking(run)
        for note in run.notes:
            by = f" {shown(note.by)}" if note.by else ""
            self._line(f"Note of {self._clock.stamp(note.at)}{by}: {shown(note.text, 2000)}")
        if is_kept:
            self._line(
                f"Run {run.number}. After the change: troubleshoot S.hscope --verify {run.number}",
                style="dim",
            )
        for one in run.verifications:
            self._line("")
            self.verification(run, one)

    def verification(self, run: TroubleshootingRun, found: Verification) -> None:
        """Print a verification."""
        outcome = (found.outcome or found.state).capitalize()
        sure = f", confidence {found.confidence}" if found.outcome and found.confidence != "none" else ""
        self._line(
            f"{outcome}{sure}: {shown(run.symptom.name)}{worse_elsewhere(found)}",
            style=f"bold {_OUTCOMES.get(found.outcome or '', '')}".strip(),
        )
        self._line(f"{found.because} {awaited_words(found, self._clock)}".strip())
        before = f"Before: {self._clock.window(found.before)}"
        if found.after is not None:
            where = f" in {shown(found.session)}" if found.session else ""
            long = format_duration(found.after.seconds)
            before += f"; after: {self._clock.window(found.after)}{where} ({long})"
        self._line(f"{before}.", style="dim")
        if found.load:
            self._line(found.load, style="dim")
        for change in found.changes:
            by = f", by {shown(change.by)}" if change.by else ""
            of = f"{shown(change.name)}: " if change.name and change.name not in change.what else ""
            self._line(f"{self._clock.time(change.at)}  {of}{shown(change.what, 300)}{by}", lead="  ")
        self._numbers(found.numbers)
        for again in found.checks:
            if again.outcome != "not found" and (again.before in _FOUND or again.after in _FOUND):
                self._again(again)
        if found.elsewhere:
            self._line("Worse elsewhere:", style="bold")
        for other in found.elsewhere:
            self._line(f"{shown(other.name)}: {other.title}. {other.conclusion}", lead="  ")
        if following := next_words(found):
            self._line(following, style="bold")

    def _asked(self, run: TroubleshootingRun) -> str:
        symptom = run.symptom
        noticed = load_flow().noticed(symptom.noticed)
        what = noticed.title if noticed else shown(symptom.noticed)
        window = self._clock.window(symptom.window)
        judged = f", judged to {self._clock.time(run.judged_to)}" if run.judged_to is not None else ""
        return f"{shown(symptom.name)} is {what}: {window}{judged}"

    def _rows(self, run: TroubleshootingRun) -> None:
        for group in load_flow().groups:
            rows = [one for one in run.rows if one.group == group.id]
            found = sum(one.verdict in _FOUND for one in rows)
            counted = f"{found or 'none'} of {len(rows)} found"
            self._line("")
            self._line(f"{group.title.upper()}  {counted}", style="dim")
            for row in rows:
                begin = f"{VERDICT_SYMBOLS[row.verdict]} {row.title}"
                self._line(
                    row.measured, lead=f"  {begin:<{_LEFT - 2}} ", style=_STYLES.get(row.verdict, "dim")
                )

    def _check(self, check: CheckResult) -> None:
        self._line("")
        lasted = f", for {format_duration(check.lasted_s)}" if check.lasted_s else ""
        title = f"{VERDICT_SYMBOLS[check.verdict]} {check.title}: {shown(check.name)}{lasted}"
        self._line(title, style=f"bold {_STYLES.get(check.verdict, '')}".strip())
        self._line(check.because, lead="  ")
        if check.follows_from is not None:
            _, above, _, name = check.follows_from
            self._line(f"Follows from: {above}, {shown(name)}.", lead="  ", style="bold")
        for line, words in zip(check.rule, rules_of(check), strict=True):
            self._line(_rule_text(line, words), lead="    ")
        for cause in check.causes:
            self._line(f"{cause.title}. {cause.because}", lead=f"    {cause.verdict:<9}  ")
        for number, step in enumerate(check.steps, start=1):
            self._step(number, step)
        for event in check.changes:
            when, text = describe_change(event, check.windows[0].start if check.windows else event.at)
            self._line(f"{when}: {shown(text, 300)}", lead="    ", style="dim")
        for text in check.notes:
            self._line(text, lead="    ", style="dim")
        for other in check.also:
            self._line(f"Also {shown(other.name)}: {other.conclusion}", lead="    ")

    def _step(self, number: int, step: Step) -> None:
        so = f"If so ({step.if_so}): " if step.if_so else ""
        self._line(f"{so}{step.text}", lead=f"    {number}. ", style="bold")
        if step.seen and step.seen_at is not None:
            seen = f"seen at {self._clock.time(step.seen_at)}: {shown(step.seen, 200)}"
            self._line(seen, lead="       ✓ ", style="green")
        for name, line in (
            ("vSphere Client", step.client),
            ("PowerCLI", step.powercli),
            ("esxcli", step.esxcli),
        ):
            if line:
                self._whole(f"       {name}: {line}")

    def _numbers(self, numbers: Sequence[VerifiedNumber]) -> None:
        for one in numbers:
            before, after = (format_measured(value, one.unit) for value in (one.before, one.after))
            between = ""
            if one.interval is not None:
                between = f", change {format_changes(*one.interval, one.unit)}"
            self._line(f"{one.what}: {before} → {after}{between}; {one.judged}", lead="    ")

    def _again(self, again: CheckedAgain) -> None:
        symbol = VERDICT_SYMBOLS[again.after]
        ended = f", ended {self._clock.time(again.ended_at)}" if again.ended_at is not None else ""
        self._line(f"{again.title}: {again.outcome}{ended}", lead=f"  {symbol} ")
        self._line(again.because, lead="    ", style="dim")

    def _nothing_found(self, run: TroubleshootingRun) -> None:
        judged = sum(one.verdict == "not found" for one in run.checks)
        applying = sum(one.verdict != "not applicable" for one in run.checks)
        self._line(
            f"Nothing found by {format_count(judged)} of {format_count(applying)} checks: what was "
            "judged is well. Look at what could not be judged, at the application itself, or at another time."
        )

    def _lacking(self, run: TroubleshootingRun) -> None:
        lacking = [one for one in run.checks if one.verdict == "insufficient data"]
        if lacking:
            self._line("Could not be judged:", style="bold")
        for check in lacking:
            get = (
                f" {check.get}"
                if check.get and check.get.rstrip(".").lower() not in check.because.lower()
                else ""
            )
            self._line(f"{check.title}: {check.because}{get}", lead=f"  {VERDICT_SYMBOLS[check.verdict]} ")
        for text in run.limits:
            self._line(text, style="dim")

    def _line(self, text: str, *, lead: str = "", style: str = "") -> None:
        for number, line in enumerate(wrapped(text, max(20, self._width - len(lead)), self._console)):
            begin = lead if number == 0 else " " * len(lead)
            self._console.print(Text(begin + line, style=style), highlight=False)

    def _whole(self, text: str) -> None:
        """Print a line to copy: not wrapped, so that it is one line in the clipboard, too."""
        self._console.print(Text(text), highlight=False, soft_wrap=True)


_FOUND = ("problem", "suspected")


def _rule_text(line: RuleLine, words: RuleWords) -> str:
    if line.limit is None:
        return f"{line.what}: {words.measured}"
    between = " " if words.limit.startswith(("<", "≥")) else ", limit "
    return f"{line.what}: {words.measured}{between}{words.limit}: {'yes' if line.holds else 'no'}"
