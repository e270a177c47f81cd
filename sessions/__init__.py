"""What a session is: entities, counters, series, time ranges, events, and the store."""
