"""One system: its CTCs, their chpids and its ends of links, pure."""
