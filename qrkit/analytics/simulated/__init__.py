"""Scans whose truth is known, to try questions on them: rates, weekdays, unrest, events and changes are given."""
