"""The rules that a layout is checked by: what IBM advises, and what follows from it."""

from typing import Final

REPORT: Final = "z/VM 6.2 performance report, ISFC Improvements"
GUIDE: Final = "IBM, z/VM live guest relocation with Linux"
"""Where most of them are known from."""
