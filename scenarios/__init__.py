"""Experiments: layouts of logical links, what they are good for, and runs of them."""
