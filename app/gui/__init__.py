"""The window: frame, actions, settings, background jobs, models, and panels that connect views to models."""
