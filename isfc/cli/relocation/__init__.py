"""``isfc relocate`` and ``isfc evacuate``."""
