"""The rules that a layout is checked by: what IBM advises, and what follows from it."""
