"""Live counters and inventory from vCenter and ESXi."""
