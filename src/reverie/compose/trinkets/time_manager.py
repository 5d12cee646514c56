"""The date and the time, in the person's time zone."""

from zoneinfo import ZoneInfo

from reverie.compose.markup import Markup, tag
from reverie.compose.trinket import EventAwareTrinket, TrinketContext


class TimeManager(EventAwareTrinket):
    """Tells the model what day and time it is, where the person is."""

    def _get_variable_name(self) -> str:
        return "datetime_section"

    def generate_content(self, context: TrinketContext) -> Markup:
        zone = context.now.tzinfo
        place = f" ({zone.key})" if isinstance(zone, ZoneInfo) and zone.key else ""
        return tag("current_datetime", f"{context.now:%A %d %B %Y, %H:%M %Z}{place}")
