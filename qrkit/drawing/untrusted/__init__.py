"""What comes from strangers: pictures in requests, pictures at URLs, and the process that draws SVG."""
