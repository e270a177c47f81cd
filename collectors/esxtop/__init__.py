"""esxtop batch captures: reading CSV files that esxtop -b wrote."""
