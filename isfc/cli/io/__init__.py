"""``isfc io``: the I/O beside the link."""
