"""Makes text and links of a page safe in Markdown: without its markup and invisible characters."""

from __future__ import annotations

import re
from urllib.parse import urljoin

_UNSEEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Control characters, marks of the reading direction, and letters that no reader sees (they can
carry instructions for a language model)."""
LINK = "\x01"
"""Mark before each link, which no page contains; `finished` removes it."""
_SPECIAL = re.compile(r"([\\`*\[\]<])|(?<!\w)(_)|(_)(?!\w)|(~)(?=~)|(&)(?=#?\w{1,40};)")
_LINE_START = re.compile(
    r"(?m)^([ \t]*)(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|[-=]{2,}(?=\s*$)|:(?=\s)|~{3,})"
)
_NUMBERED = re.compile(r"(?m)^([ \t]*\d{1,9})([.)])(?=\s|$)")
_IN_URL = {" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "\\": "%5C", '"': "%22",
           "`": "%60", "|": "%7C", "*": "%2A", "[": "%5B", "]": "%5D"}  # fmt: skip
_LONGEST_URL = 2000


def without_unseen(text: str) -> str:
    """Return `text` without control and invisible characters."""
    return _UNSEEN.sub("", text)


def finished(text: str) -> str:
    """Return converted text in which no link is a picture because of a ``!`` before it."""
    return without_unseen(text.replace(f"!{LINK}", f"\\!{LINK}"))


def escaped(text: str) -> str:
    r"""Return plain text in which nothing is Markdown or HTML.

    >>> escaped("# 1 < 2 *and* 3")
    '\\# 1 \\< 2 \\*and\\* 3'
    """
    text = _SPECIAL.sub(lambda match: f"\\{match[0]}", text)
    text = _LINE_START.sub(r"\1\\\2", text)
    return _NUMBERED.sub(r"\1\\\2", text)


def safe_link(href: str, base: str) -> str:
    """Return an absolute http or https URL that cannot end a link of Markdown; "" for any other.

    >>> safe_link("b (1)", "http://a.example/"), safe_link("javascript:alert(1)", "")
    ('http://a.example/b%20%281%29', '')
    """
    try:
        url = urljoin(base, href.strip())
    except ValueError:
        return ""
    url = "".join(char for char in url if char.isprintable())
    if len(url) > _LONGEST_URL or not url.lower().startswith(("http://", "https://")):
        return ""
    return "".join(_IN_URL.get(char, char) for char in url)
