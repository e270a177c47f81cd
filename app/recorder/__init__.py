"""The recorder process: one writer, a thread per connection, JSON lines on stdin and stdout."""
