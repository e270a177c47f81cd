"""Reads logs of ESXi into sessions, as events: vmkernel.log, vobd.log, hostd.log, vmware.log, vm-support archives."""
