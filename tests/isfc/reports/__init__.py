"""Reports, and what every output makes of them."""
