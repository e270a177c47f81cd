"""The window: frame, actions, settings, jobs, and what puts the views together."""
