"""CP's commands, as far as they concern a logical link: their words and responses, pure."""
