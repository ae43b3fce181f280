"""Archived visits: files that any engine reads, and the queries of other engines."""
