"""Pages for browsers: where a short URL leads, and the description of the interface."""
