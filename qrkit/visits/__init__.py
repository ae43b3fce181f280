"""A request to a short URL -> an answer and a visit."""
