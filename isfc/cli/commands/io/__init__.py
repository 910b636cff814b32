"""``isfc io``: each subcommand in a module of its own."""
