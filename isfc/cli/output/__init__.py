"""How every command prints, ends and says how far it has got."""
