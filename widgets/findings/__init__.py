"""Findings as cards: the conclusion, its evidence, the causes, and what to do."""

from widgets.findings.card import FindingCard
from widgets.findings.view import FindingsView
from widgets.findings.words import Known

__all__ = ["FindingCard", "FindingsView", "Known"]
