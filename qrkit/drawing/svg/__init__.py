"""SVG as text: elements, attributes and paths."""
