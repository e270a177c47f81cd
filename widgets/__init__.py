"""Qt views: charts, tables, heat maps, panels. They know value types, never a connection or a file."""
