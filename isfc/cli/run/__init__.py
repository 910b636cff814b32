"""``isfc run``."""
