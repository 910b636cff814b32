"""Checks of the source that no ordinary linter makes."""
