"""The dashboard: filters scans, and shows them as numbers, charts and tables."""
