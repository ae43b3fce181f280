"""What an operator sees: logs, metrics, health, and the ID of each request."""
