"""Layouts drawn, as text and as SVG."""
