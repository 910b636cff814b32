"""What commands show: pages, tables and pictures for people."""
