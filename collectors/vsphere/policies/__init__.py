"""Storage policies (SPBM) of VMs, virtual disks and datastores, as facts."""
