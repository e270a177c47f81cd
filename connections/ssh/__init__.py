"""A connection to a host or a guest over ssh: host key, login, keepalive, commands that end with it."""
