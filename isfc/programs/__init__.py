"""What runs on a system: programs that use the link, pure."""
