"""Scans against what was put up for them: posters, money, people who pass, and hours in which a place is open."""
