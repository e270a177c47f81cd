"""Findings as cards: the conclusion, its evidence, the causes, and what to do."""

from viewmodels.finding_labels import EvidenceLookup
from widgets.findings import card, view
from widgets.findings.card import FindingCard
from widgets.findings.view import FindingsView

KEYS = (*view.KEYS, *card.KEYS)
"""The keys that go from card to card, and those of a card."""

__all__ = ["KEYS", "EvidenceLookup", "FindingCard", "FindingsView"]
