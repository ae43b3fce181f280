"""Integrates qrkit with notebooks: `df.qr`, widgets, progress bars, and rich display of objects."""
