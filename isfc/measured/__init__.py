"""What a site measured of a logical link: reading it into one record, and what is wrong with it."""
