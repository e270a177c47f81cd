"""Guest operations of VMware Tools: programs and files of a VM's guest, without a network to it."""
