"""What a view, a page or a report shows, as values, without Qt."""
