"""Records visits: they are durable in an inbox first, and move into the store later; and what is kept of visitors."""
