"""Listens on sockets: what is accepted, refused, read and written there."""
