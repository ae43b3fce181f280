"""Letters as outlines: lines of words, and the fonts of strangers."""
