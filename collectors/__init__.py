"""Where counters come from: one package a family; families do not know each other."""
