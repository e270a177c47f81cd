"""The SQLite session file: one writer, many readers."""
