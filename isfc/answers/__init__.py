"""Answers: of each capability the function, the record that it gives, and the report of that."""
