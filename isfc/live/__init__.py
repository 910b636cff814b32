"""Live: one system in a process of its own, on sockets and the machine's clock."""
