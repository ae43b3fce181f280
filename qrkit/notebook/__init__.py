"""qrkit in notebooks: `df.qr`, widgets, progress bars, and what the last line of a cell shows."""
