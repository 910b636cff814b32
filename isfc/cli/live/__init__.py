"""Live systems as a command has them: started, watched, logged and ended."""
