"""Which elements stand within a line, so that they part no words."""

INLINE = (
    *("abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em"),
    *("font", "i", "ins", "kbd", "mark", "nobr", "q", "rb", "ruby", "s", "samp", "small", "span"),
    *("strike", "strong", "sub", "sup", "time", "tt", "u", "var"),
)
"""Elements that say how their words look, and nothing of what they are in the page."""

READINGS = ("rp", "rt", "rtc")
"""How the characters of a ruby are spoken, which stands above them: no part of the sentence."""
