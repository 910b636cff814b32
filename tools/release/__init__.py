"""What a release takes: wheels and an sdist, and trials of them where nothing of the project is."""
