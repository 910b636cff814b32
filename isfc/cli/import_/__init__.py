"""``isfc import``."""
