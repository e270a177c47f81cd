"""How findings leave the window: one to the clipboard, all of them into a file."""

from __future__ import annotations

import json

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from diagnosis import findings_json
from diagnosis.documents import finding_json
from diagnosis.plain_text import finding_text, findings_markdown, report_text
from sessions.findings import Finding
from viewmodels.file_offer import FileOffer, text_form
from widgets.copying import copy_text


class FindingsLeaving(QObject):
    """Copies and saves findings of the newest diagnosis, as ``hyperscope diagnose`` writes them."""

    def __init__(self, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk

    def copy_text(self, finding: Finding) -> None:
        """Copy a finding with evidence, causes and remedies."""
        diagnosis = self._desk.findings.diagnosis
        if diagnosis is not None:
            self._desk.notify(
                copy_text(finding_text(finding, diagnosis, self._desk.times.clock), "The finding was"), "ok"
            )

    def copy_json(self, finding: Finding) -> None:
        """Copy a finding as the JSON document of ``hyperscope diagnose --json``."""
        names = {one.entity: one.entity_name for one in self._desk.findings.findings}
        self._desk.notify(copy_text(_json(finding_json(finding, names)), "The finding was"), "ok")

    def save_all(self) -> None:
        """Ask where to save all findings, as text, Markdown or JSON."""
        diagnosis, snapshot = self._desk.findings.diagnosis, self._desk.session.snapshot
        if diagnosis is None or snapshot is None:
            self._desk.notify("There are no findings to save: nothing was judged yet.", "info")
            return
        clock = self._desk.times.clock
        forms = (
            text_form("Text", ".txt", lambda: report_text(diagnosis, clock)),
            text_form("Markdown", ".md", lambda: findings_markdown(diagnosis, clock)),
            text_form("JSON", ".json", lambda: _json(findings_json(diagnosis))),
        )
        self._desk.save_file(FileOffer(f"{snapshot.path.stem} findings", forms))


def _json(document: dict[str, object]) -> str:
    """The document as text without control characters, which a terminal would obey."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    plain = (one if one.isprintable() or one == "\n" else f"\\u{ord(one):04x}" for one in text)
    return "".join(plain) + "\n"
