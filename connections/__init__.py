"""Connections to servers: addresses, trusted certificates and host keys, secrets, one package
for each protocol.
"""
