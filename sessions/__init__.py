"""The data model of a session: entities, counters, series, time ranges, events; and the store
of session files.
"""
