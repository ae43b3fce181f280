"""Questions about visits: scans and their attributes, and SQL of users."""
