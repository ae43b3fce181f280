"""Where archived visits lie: a folder or a bucket."""
