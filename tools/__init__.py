"""Upkeep: what the people who carry this project on run from the checkout."""
