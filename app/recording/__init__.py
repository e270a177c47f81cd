"""The command that records: its sources, whom it tells and asks, and its page on a terminal."""
