"""Doing things to an environment: load in guests. Nothing here knows a window."""
