"""Pages and parts of pages as HTML: what they are made of, and the page about a layout."""
