"""The settings of a vCenter that a test may change, by name: how each is read and written."""
