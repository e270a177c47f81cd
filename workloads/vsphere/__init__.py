"""A vCenter that a test acts on: settings, tasks, inventory, events, and guests through VMware Tools."""
