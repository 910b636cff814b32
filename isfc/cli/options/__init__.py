"""Options that several commands share, checked and kept together."""
