"""Reports: what an answer says first, then its rows as tables, made into every output."""
