"""A person's words -> an FTS5 query that cannot be a syntax error."""

_MOST_WORDS = 64  # a megabyte of query is a paste, and its first words say what it is about


def fts_query(text: str) -> str:
    """Every word quoted and joined by OR, so that `C++`, `foo-bar` and `what's up?` are words like others.

    >>> fts_query('what is "C++" NEAR(x')
    '"what" OR "is" OR "C" OR "NEAR" OR "x"'
    """
    words: dict[str, None] = {}
    word = ""
    for character in text + " ":
        if character.isalnum():
            word += character
        elif word:
            words[word] = None
            word = ""
            if len(words) == _MOST_WORDS:
                break
    return " OR ".join(f'"{word}"' for word in words)
