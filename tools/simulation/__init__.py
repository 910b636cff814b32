"""Long runs of the simulation: every interleaving of small pairs, and swarms of large ones."""
