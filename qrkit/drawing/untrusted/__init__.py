"""Handles untrusted input: images in requests, images at URLs, and the process that renders SVG."""
