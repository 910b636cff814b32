"""The page that ``isfc report`` writes, and the parts that pages of HTML are made of."""
