"""``isfc sweep``."""
