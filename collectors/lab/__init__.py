"""The lab: a seeded simulation of a small vSphere cluster with problems in it."""
