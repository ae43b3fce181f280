"""`Design` + `Symbol` -> `Scene`, and `Scene` -> bytes.

draw         the whole drawing: where everything lies, in pixels
writers/     one file for each output format
untrusted/   pictures that strangers send or name
"""
