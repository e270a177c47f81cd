"""What a vCenter has, with the facts that checks and pages need (resources/tests/facts.toml)."""
