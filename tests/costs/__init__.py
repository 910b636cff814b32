"""What tests cost: processor time to look at, and counts that are the same in every run."""
