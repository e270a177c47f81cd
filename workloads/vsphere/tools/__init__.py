"""Guests through VMware Tools as the launcher's transport: scripts run, files move, jobs are followed."""
