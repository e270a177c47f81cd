"""What the open session tells about its own time, from which windows to compare are offered."""

from __future__ import annotations

from app.gui.desk import Desk
from viewmodels.comparison_choices import Known


def known_of(desk: Desk) -> Known | None:
    """Return what the open session tells about its time, None without samples."""
    snapshot, whole = desk.session.snapshot, desk.session.whole
    if snapshot is None or whole is None or whole.span is None:
        return None
    return Known(
        whole.span,
        desk.findings.findings,
        whole.marks,
        whole.events,
        desk.tests.records.runs,
        desk.scope.scope.window_in(snapshot.span),
    )
