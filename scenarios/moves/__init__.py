"""Guests on the move: relocations and evacuations."""
