"""The I/O beside the link: channels, disks and networks, configured, run and estimated."""
