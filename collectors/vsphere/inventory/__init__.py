"""What a vCenter has and how it is configured: objects, entities, facts, events, kept up to date."""
