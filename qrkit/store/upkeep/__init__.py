"""Keeps a store in order: tests it, rescues it, moves it, and deletes what has had its time."""
