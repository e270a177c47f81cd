"""Counters of a vCenter or ESXi host: which to query, how to query them, and what to do with the replies."""
