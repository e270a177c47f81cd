"""Charts; the only package that imports pyqtgraph."""
