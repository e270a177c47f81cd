"""The heat map: entities × time, coloured by a counter. For "which of my 2,000 VMs"."""

from widgets.heatmap.matrix import Heat, HeatRow, ramp
from widgets.heatmap.view import HeatmapView

__all__ = ["Heat", "HeatRow", "HeatmapView", "ramp"]
