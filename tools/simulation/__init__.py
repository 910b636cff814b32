"""Long runs of the simulation: every interleaving of small pairs."""
