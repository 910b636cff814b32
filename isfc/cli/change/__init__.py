"""``isfc change``."""
