"""IBM's published tables, replayed and judged."""
