"""``isfc plan``."""
