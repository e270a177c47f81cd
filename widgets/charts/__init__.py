"""Charts: the only place that knows pyqtgraph."""
