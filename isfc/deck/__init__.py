"""What sites have instead of layouts: IOCP decks, console logs and system configurations."""
