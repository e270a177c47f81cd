"""View models: what a view, a page or a report shows, computed as plain values without Qt."""
