"""The page of the log lines that Hyperscope knows, drawn from resources/logs."""

from __future__ import annotations

from page_tables import table

from resources.log_lines import LineRow, ToldRow, load_log_lines
from viewmodels.reference import anchor

_INTRO = """\
# Log lines

Which lines of ESXi's logs become events of a session, drawn from `resources/logs/lines.toml` by
`docs/generate.py`: do not edit this page. Each form was seen in a knowledge-base article or a capture; lines
of another form are not guessed.
"""


def logs_page() -> str:
    """Return docs/logs.md."""
    known = load_log_lines()
    told = dict.fromkeys(known.told.values())
    return "\n".join(
        (
            _INTRO,
            "## Of vmkernel.log and vmware.log\n",
            table(("The event says", "Kind", "Evidence for", "Example", "Source"), map(_line, known.rows)),
            "## Of vobd.log and hostd.log, by id\n",
            table(("Ids", "Kind", "Evidence for", "Source"), map(_event, told)),
        )
    )


def _line(row: LineRow) -> tuple[str, ...]:
    return row.text, row.kind, _cards(row.cards), f"`{row.example}`", row.source


def _event(row: ToldRow) -> tuple[str, ...]:
    return " ".join(f"`{name}`" for name in row.ids), row.kind, _cards(row.cards), row.source


def _cards(cards: tuple[str, ...]) -> str:
    return " ".join(f"[`{card}`](problems.md#{anchor(card)})" for card in cards)
