"""``isfc compare``."""
