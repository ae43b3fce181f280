"""Places for archived visits: a folder or a bucket."""
