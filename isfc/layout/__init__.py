"""Layouts of logical links: the object, its file, the shipped ones, and the judgement of one."""
