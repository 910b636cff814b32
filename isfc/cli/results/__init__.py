"""The results of runs, as pages and records of several commands have them."""
