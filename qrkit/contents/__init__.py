"""Describes the content of a QR Code in words that people understand."""
