"""Figures of many runs: advice, losses, collisions, and a site's figures beside the model's."""
