"""Hercules' CTCE: its configuration statements and its bytes, read and written; no I/O."""
