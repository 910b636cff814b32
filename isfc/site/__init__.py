"""What a site measured of its links and channels: monitor reports and data, in one record."""
