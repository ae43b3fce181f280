"""Records visits: the inbox, its settling, and what is kept of a visitor."""
