"""The process that writes a session: a queue, one writer, parts, limits; its language on stdin and stdout."""
