"""Guided work: tests that act on an environment, and troubleshooting."""
