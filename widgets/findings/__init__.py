"""Findings as cards: the conclusion, its evidence, the causes, and what to do."""

from viewmodels.finding_labels import EvidenceLookup
from widgets.findings.card import FindingCard
from widgets.findings.view import FindingsView

__all__ = ["EvidenceLookup", "FindingCard", "FindingsView"]
