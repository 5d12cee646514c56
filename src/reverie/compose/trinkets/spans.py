"""A length of time in words."""


def in_words(milliseconds: int) -> str:
    """Hours and minutes, as people say them; seconds are left out.

    >>> in_words(65 * 60_000), in_words(120 * 60_000), in_words(59_000)
    ('1 h 5 min', '2 h', '0 min')
    """
    hours, minutes = divmod(max(0, milliseconds) // 60_000, 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours:,} h {minutes} min" if minutes else f"{hours:,} h"
