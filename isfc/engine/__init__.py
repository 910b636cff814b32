"""Engines own time and I/O: they drive systems, which do not know by which engine."""
