"""Maintains a store: verifies, rescues and moves it, and deletes visits that are kept too long."""
