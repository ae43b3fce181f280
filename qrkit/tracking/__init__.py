"""Plain data types for tracking: QR Codes, campaigns, visits, short URLs and schedules, and the clock."""
