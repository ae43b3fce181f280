"""The dashboard: scans are looked at from all sides."""
