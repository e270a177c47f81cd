"""What a vCenter has and how it is configured: objects, entities, facts and events, kept up to date."""
