"""Findings as cards: conclusion, evidence, causes, and remedies."""

from viewmodels.finding_labels import EvidenceLookup
from widgets.findings import card, view
from widgets.findings.card import FindingCard
from widgets.findings.view import FindingsView

KEYS = (*view.KEYS, *card.KEYS)
"""The keys that move between cards, and those of a card."""

__all__ = ["KEYS", "EvidenceLookup", "FindingCard", "FindingsView"]
