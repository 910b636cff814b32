"""``isfc replay``."""
