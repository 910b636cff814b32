"""Fuzzing: every decoder and parser fed with bytes that change by what they reach."""
