"""Read words: the stems a text is found by, the tokens it costs, the time and the people a question is about."""
