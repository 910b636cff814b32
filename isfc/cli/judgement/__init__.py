"""What the rules and the model say of a layout, in words and tables."""
