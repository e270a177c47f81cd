"""What a VMware performance engineer knows, as data, and its typed loader."""
