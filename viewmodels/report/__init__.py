"""The report as values: sections of sentences, tables and drawings, which a file or a printed page shows."""
