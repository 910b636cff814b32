"""Faults in a run: as data, brought about, and what came of them."""
