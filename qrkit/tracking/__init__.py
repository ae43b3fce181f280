"""What is tracked, as plain data: QR Codes, campaigns, visits, their short URLs and schedules, and the clock."""
