"""Mutation testing of what mutmut cannot change: tables."""
