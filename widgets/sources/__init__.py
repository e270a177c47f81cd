"""The pane of the sources: a card for each, with how it is doing."""

from widgets.sources.view import SourceCard, SourceFacts, SourcesView

__all__ = ["SourceCard", "SourceFacts", "SourcesView"]
