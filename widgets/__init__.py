"""Qt views: charts, tables, heat map, panes. They show values and know neither files nor connections."""
