"""Defines the built-in shapes: sprites for modules, eyes for finder patterns, icons for layers."""
