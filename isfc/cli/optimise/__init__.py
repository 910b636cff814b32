"""``isfc optimise``."""
