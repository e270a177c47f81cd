"""A diagnosis as plain text and as Markdown, for a mail, a ticket or a file."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence

from rich.console import Console

from diagnosis.engine import Diagnosis
from diagnosis.report import evidence_cells, render_finding, render_report, when_text
from resources.foreign_text import visible
from sessions.clock import UTC_CLOCK, Clock
from sessions.findings import Finding, Severity
from sessions.verdict_wording import verdict_title

_WIDTH = 100
_SYMBOLS: dict[Severity, str] = {"critical": "▲", "warning": "◆", "info": "●"}
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|!~])")
"""What Markdown, or the HTML in it, would interpret inside of a line."""


def report_text(diagnosis: Diagnosis, clock: Clock = UTC_CLOCK) -> str:
    """Return the whole report as ``hyperscope diagnose --checks`` prints it, without colours."""
    console = _console()
    render_report(diagnosis, console, clock, checks=True)
    return _text_of(console)


def finding_text(finding: Finding, diagnosis: Diagnosis, clock: Clock = UTC_CLOCK) -> str:
    """Return one finding as the report has it, with all that follows from it."""
    console = _console()
    render_finding(finding, diagnosis, console, clock)
    return _text_of(console)


def findings_markdown(diagnosis: Diagnosis, clock: Clock = UTC_CLOCK) -> str:
    """Return the report as Markdown; foreign names stay literal."""
    parts = [f"# Findings: {verdict_title(diagnosis.verdict)}"]
    if diagnosis.window is not None:
        window = diagnosis.window
        ends = f"{clock.iso(window.start)} to {clock.iso(window.end)}"
        parts.append(f"{ends}, times in {clock.zone_of(window)}")
    parts += (_literal(note) for note in diagnosis.notes)
    for finding in diagnosis.findings:
        parts += _finding(finding, diagnosis, clock)
    return "\n\n".join(parts) + "\n"


def _finding(finding: Finding, diagnosis: Diagnosis, clock: Clock) -> Iterator[str]:
    symbol = _SYMBOLS[finding.severity]
    yield f"## {symbol} {_literal(finding.title)}: {_literal(finding.entity_name)} ({finding.entity.kind})"
    yield _literal(finding.conclusion)
    yield f"*When:* {when_text(finding, clock)}"
    if finding.evidence:
        rows = (evidence_cells(item, diagnosis) for item in finding.evidence)
        yield "\n".join(_table(("Evidence", "Value", "Limit"), list(rows)))
    if finding.causes:
        lines = (f"- **{one.verdict}**: {_literal(f'{one.title}. {one.because}')}" for one in finding.causes)
        yield "\n".join(("### Causes", "", *lines))
    if finding.remedies:
        steps = (f"{number}. {_literal(step)}" for number, step in enumerate(finding.remedies, start=1))
        yield "\n".join(("### What to do", "", *steps))
    yield from (f"> {_literal(note)}" for note in finding.notes)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    yield from (f"| {' | '.join(map(_literal, row))} |" for row in rows)


def _literal(text: str) -> str:
    """The text on one line, which Markdown shows as it is."""
    return _MARKUP.sub(r"\\\1", visible(text))


def _console() -> Console:
    return Console(
        file=io.StringIO(),
        width=_WIDTH,
        force_terminal=False,
        color_system=None,
        markup=False,
        highlight=False,
    )


def _text_of(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()
