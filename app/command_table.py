"""The table of all commands and the program's help; importing it loads no command."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

HELP = """Finds what is slow in a vSphere environment, why, and whether the fix worked.

Everything that it sees is one file, a session (.hscope), that opens anywhere, offline, years later.

First steps:
  hyperscope demo --headless                        a simulated cluster with problems in it, diagnosed
  hyperscope import capture.csv -o night.hscope     read what 'esxtop -b -a' wrote
  hyperscope diagnose night.hscope                  what is wrong, with the evidence
  hyperscope query night.hscope --entity 'SQL*' --counter 'cpu.ready'
"""

OPTIONS = (
    ("--install-completion", "Install completion for the shell that runs this."),
    ("--show-completion", "Show that completion, to copy it or to change it."),
    ("--version", "Print the version and end."),
    ("-h, --help", "Print this text and end; after a command, what that command does."),
)


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command: its module, the name of its function (or typer group) there, and a summary for the help.

    One that only the window starts is hidden from the help.
    """

    module: str
    attribute: str
    summary: str
    is_hidden: bool = False


COMMANDS = {
    "demo": CommandEntry("app.commands.demo", "demo", "A simulated cluster with problems, diagnosed."),
    "record": CommandEntry("app.commands.record", "record", "Record live counters into a session."),
    "import": CommandEntry(
        "app.commands.importing",
        "import_",
        "Read what 'esxtop -b' or fio wrote, or logs of ESXi, into a session.",
    ),
    "info": CommandEntry("app.commands.info", "info", "What a session holds: sources, samples, gaps, size."),
    "query": CommandEntry("app.commands.query", "query", "Samples of some entities and counters."),
    "diagnose": CommandEntry(
        "app.commands.diagnose", "diagnose", "Find known problems, with their evidence."
    ),
    "troubleshoot": CommandEntry(
        "app.commands.troubleshoot",
        "troubleshoot",
        "From a symptom through the guide's checks to the fix, and did it work?",
    ),
    "explain": CommandEntry(
        "app.commands.explain", "explain", "What a problem or a counter means, and what to do."
    ),
    "thresholds": CommandEntry(
        "app.commands.thresholds", "commands", "Limits of storage by its class: list, show, check."
    ),
    "correlate": CommandEntry(
        "app.commands.correlate", "correlate", "What moved with a series: who makes the load, who feels it."
    ),
    "compare": CommandEntry(
        "app.commands.compare", "compare_", "Before against after, with intervals and verdicts."
    ),
    "report": CommandEntry(
        "app.commands.report", "report", "One HTML file, or a PDF: what happened, why, is it over."
    ),
    "export": CommandEntry("app.commands.exporting", "export", "Write a session as CSV or Parquet files."),
    "gui": CommandEntry(
        "app.commands.gui", "gui", "Open the window, on a session or capture if one is given."
    ),
    "selftest": CommandEntry("app.commands.selftest", "selftest", "See whether this installation works."),
    "version": CommandEntry(
        "app.commands.version", "version", "What runs here, and whether a newer version is there."
    ),
    "test": CommandEntry("app.commands.test", "commands", "Guided tests: list, plan, check, run, resume."),
    "restore": CommandEntry(
        "app.commands.restore", "restore", "Undo what a test changed and did not put back."
    ),
    "lab": CommandEntry(
        "app.commands.lab", "commands", "The simulated clusters: list them, export captures."
    ),
    "judge": CommandEntry(
        "app.commands.judge", "judge", "Judge a session as it grows, for the window.", is_hidden=True
    ),
}


def program_help() -> str:
    """Return the text of ``hyperscope --help``."""
    commands = ((name, entry.summary) for name, entry in COMMANDS.items() if not entry.is_hidden)
    return "\n".join(
        (
            "Usage: hyperscope COMMAND [ARGUMENTS] [OPTIONS]",
            "",
            HELP,
            "Commands:",
            *_table(commands),
            "",
            "Options:",
            *_table(OPTIONS),
            "",
            "Without a command it opens the window. 'hyperscope COMMAND --help' says more of each.",
        )
    )


def _table(rows: Iterable[tuple[str, str]]) -> list[str]:
    pairs = list(rows)
    width = max(len(name) for name, _ in pairs)
    return [f"  {name:{width}}  {text}" for name, text in pairs]
