"""The process that writes a session: a queue, one writer, parts, limits, and its JSON lines on
stdin and stdout.
"""
