"""``isfc studio``: a local page on which a layout is edited and judged.

What it computes it has of the public face, `isfc`; what it shows is drawn by the rooms of
`isfc.cli` below it.
"""
