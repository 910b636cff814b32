"""One end of one logical link: CP's link driver, pure."""
