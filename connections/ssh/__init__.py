"""Connections over ssh to a host or a guest: host key, login, keepalive, remote commands that end
with the connection.
"""
