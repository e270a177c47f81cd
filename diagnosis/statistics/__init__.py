"""Statistics of tests: whether a run is steady, whether two settings differ, and how many rounds it takes.

A round is the unit: samples within one are autocorrelated, so their number says little about certainty.
Rounds of two settings A and B are measured in the order A B B A A B B A …, and a pair of neighbours gives
one ratio. Limits come from resources/studies/judging.toml.
"""
