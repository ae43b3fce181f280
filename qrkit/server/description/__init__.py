"""Describes the interface: its routes, their schemas and examples, and OpenAPI."""
