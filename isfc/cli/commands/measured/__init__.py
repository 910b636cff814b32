"""``isfc measured``: each subcommand in a module of its own."""
