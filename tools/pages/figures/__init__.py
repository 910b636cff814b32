"""What the figures are that stand in the prose of pages."""
