"""From series to findings: which known problems a session shows, with causes and remedies."""

from __future__ import annotations

from diagnosis.documents import findings_json
from diagnosis.engine import Check, Diagnosis, diagnose, diagnose_session

__all__ = ["Check", "Diagnosis", "diagnose", "diagnose_session", "findings_json"]
