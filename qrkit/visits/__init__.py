"""Answers requests to short URLs and records them as visits."""
