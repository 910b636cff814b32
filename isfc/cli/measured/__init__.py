"""``isfc measured`` and ``isfc loads``: a site's own figures."""
