"""The same models written with other people's tools, to measure ours against."""
