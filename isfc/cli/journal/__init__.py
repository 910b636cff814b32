"""``isfc journal``."""
