"""The page that ``isfc report`` writes: charts, their tables, and what holds them together."""
