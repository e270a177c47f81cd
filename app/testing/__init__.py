"""Guided tests from the command line: environments, runs as recordings, results as text."""
