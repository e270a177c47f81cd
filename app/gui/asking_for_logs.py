"""Asks where logs of ESXi go, and which host wrote them: to the open session, or into one of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QMessageBox, QWidget

from resources.foreign_text import shown
from viewmodels.snapshot import Snapshot

_AS_THEY_SAY = "as the logs, their folder or their archive say"
_LONGEST = 80
"""Characters of a name that are shown."""
Start = Callable[[Path | None, str], None]
"""Starts the import into a session (None: a new one) of logs that a host wrote (empty: they say which)."""


def ask_where(logs: Sequence[Path], snapshot: Snapshot, parent: QWidget, start: Start) -> None:
    """Ask whether logs are added to the open session; then, if it has several hosts, which one wrote them."""
    box = QMessageBox(parent)
    box.setObjectName("logs")
    box.setWindowTitle("Import logs")
    what = shown(logs[0].name) if len(logs) == 1 else f"{len(logs)} logs"
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(f"Where do the events of {what} go?")
    box.setInformativeText(
        "In the open session they stand on the timeline beside its charts and are evidence for its findings. "
        "A session of logs alone has events only, and nothing in it can be judged."
    )
    name = shown(snapshot.path.name, _LONGEST).replace("&", "&&")
    add = box.addButton(f"Add to {name}", QMessageBox.ButtonRole.AcceptRole)
    alone = box.addButton("A session of their own", QMessageBox.ButtonRole.ActionRole)
    box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(add)
    add.clicked.connect(lambda: _ask_host(snapshot, parent, start))
    alone.clicked.connect(lambda: start(None, ""))
    box.finished.connect(box.deleteLater)
    box.open()


def _ask_host(snapshot: Snapshot, parent: QWidget, start: Start) -> None:
    hosts = sorted(entity.name for ref, entity in snapshot.entities.items() if ref.kind == "host")
    if len(hosts) < 2:
        start(snapshot.path, "")
        return
    dialog = QInputDialog(parent)
    dialog.setObjectName("logs host")
    dialog.setWindowTitle("Import logs")
    dialog.setLabelText("Which host wrote them?")
    named = {shown(name, _LONGEST): name for name in reversed(hosts)} | {_AS_THEY_SAY: ""}
    dialog.setComboBoxItems(sorted(named, key=lambda text: (text != _AS_THEY_SAY, text)))
    dialog.setOkButtonText("Add")
    dialog.textValueSelected.connect(lambda text: start(snapshot.path, named[text]))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
