"""Finding a better layout: sweeps over a grid, on this machine or a cluster, and an optimiser."""
