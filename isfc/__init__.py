"""ISFC logical links between two z/VM systems, in virtual time and live."""

__version__ = "0.1.0"
