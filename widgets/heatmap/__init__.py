"""The heat map: entities × time, coloured by a counter; finds the worst of thousands of VMs."""

from widgets.heatmap.colours import ramp
from widgets.heatmap.map import KEYS
from widgets.heatmap.view import HeatmapView

__all__ = ["KEYS", "HeatmapView", "ramp"]
