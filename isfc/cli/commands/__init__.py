"""The subcommands of ``isfc``, a module each."""
