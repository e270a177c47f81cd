"""Who we talk to: addresses, trusted certificates and hosts, secrets, one session for each kind of server."""
