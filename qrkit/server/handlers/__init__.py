"""The handlers: a few lines for each endpoint, over what a notebook calls, too."""
