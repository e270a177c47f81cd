"""Views of the threshold sets of storage, and of the classes chosen for names."""

from widgets.thresholds.chosen import ChosenClassesView
from widgets.thresholds.sets import Draft, ThresholdSetsView

__all__ = ["ChosenClassesView", "Draft", "ThresholdSetsView"]
