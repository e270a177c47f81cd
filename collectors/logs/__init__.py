"""Reads logs of ESXi into sessions, as events: vmkernel, vobd, hostd, vmware, vm-support archives."""
