"""Changes fields of contents that others wrote, and keeps the rest of their texts."""
