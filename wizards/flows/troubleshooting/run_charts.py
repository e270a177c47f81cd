"""The charts of a run that is kept in a session, read once more from its samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sessions.store import SessionReader
from sessions.times import TimeRange
from sessions.troubleshooting import TroubleshootingRun, Verification
from viewmodels.snapshot import Snapshot
from wizards.flows.troubleshooting.check_charts import CheckChart, charts_of
from wizards.flows.troubleshooting.check_results import Knowledge
from wizards.flows.troubleshooting.judging import prepared_for


def charts_of_run(
    reader: SessionReader,
    snapshot: Snapshot,
    run: TroubleshootingRun,
    again: Verification | None,
    knowledge: Knowledge,
) -> Mapping[str, CheckChart]:
    """Return the charts of a run's checks by problem, to the end of what was verified in this session."""
    symptom = run.symptom
    if again is not None and again.after is not None and not again.session:
        begin = min(symptom.window.start, again.after.start)
        symptom = replace(symptom, window=TimeRange(begin, again.after.end))
    prepared, _around = prepared_for(reader, snapshot, symptom, knowledge)
    return charts_of(prepared, run, again)
