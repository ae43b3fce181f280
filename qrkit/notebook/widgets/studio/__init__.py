"""The studio: a code is designed by hand."""
