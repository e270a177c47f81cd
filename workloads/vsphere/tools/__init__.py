"""Guests through VMware Tools: programs and files without a network to the guest (guest operations)."""
