"""What is checked before a test, by what it is about: workers, hosts, storage, the cluster."""
