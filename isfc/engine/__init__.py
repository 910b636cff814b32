"""Engines own time and I/O: they drive nodes, and nodes never know which one."""
