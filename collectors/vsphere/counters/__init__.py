"""Counters of a vCenter or ESXi host: what to ask, how to ask it, and what came back."""
