"""What moved with it: the ranking with its reasons, and what else happened."""
