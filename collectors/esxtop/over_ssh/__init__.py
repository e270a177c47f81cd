"""esxtop's batch mode while it runs: streamed from a host over ssh, row by row."""
