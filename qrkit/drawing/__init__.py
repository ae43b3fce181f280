"""Draws a `Symbol` with its `Design` as a `Scene`, and writes a `Scene` as bytes.

draw         the whole drawing, with all positions in pixels
writers/     one file per output format
untrusted/   images that strangers send or refer to
"""
