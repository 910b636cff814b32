"""Journals: what a system was given, as records, and the proof that they lead to the same again."""
