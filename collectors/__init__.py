"""Where counters come from: one package for each family of sources; no family imports another."""
