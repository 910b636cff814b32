"""Answers of capabilities: what functions give, and what reports make of it."""
