"""What renews the pages under docs/."""
