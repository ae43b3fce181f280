"""Turns a request into what it asks for."""
