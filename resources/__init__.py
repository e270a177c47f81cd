"""What a VMware performance engineer knows, as TOML files, and the modules that load them as typed values."""
