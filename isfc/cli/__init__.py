"""People: the ``isfc`` command. The outermost ring, which nothing imports."""
