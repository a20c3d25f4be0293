"""Consent banners, told from what a page says of cookies and consent by how they are named."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from lxml import etree

_BOXES = frozenset(
    ("aside", "dialog", "div", "footer", "form", "header", "nav", "p", "section", "table", "ul")
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_ABOUT = re.compile("cookie|consent|gdpr", re.I)
_KIND = re.compile(
    "banner|bar|notice|pop-?up|modal|overlay|dialog|layer|wall|warning|message|msg|box|alert"
    "|disclaimer|manager|sdk|law|hint|toast",
    re.I,
)
_CANDIDATES = 50
_MOST = 5
"""What has more than this many times the characters of the rest of the page is no banner."""

_names: Any = [etree.XPath(f"//@{name}") for name in ("id", "class")]
_string: Any = etree.XPath("string()", smart_strings=False)


def empty_banners(root: Any) -> None:
    """Empty the elements that ask for consent.

    A page on cookies names its sections after them, and many pages say in the class of a wrapper
    what has been consented to. So a banner is a box without the heading of the page in it that
    calls itself one, or else has no heading at all and stands outside the main content.
    """
    rest = _chars(root)
    for element in islice(_candidates(root), _CANDIDATES):
        chars = _chars(element)
        if _is_banner(element) and chars <= _MOST * (rest - chars):
            element.clear(keep_tail=True)
            rest -= chars


def _candidates(root: Any) -> dict[Any, None]:
    values = (value for find in _names for value in find(root) if _ABOUT.search(value))
    return dict.fromkeys(value.getparent() for value in values)


def _is_banner(element: Any) -> bool:
    if element.tag not in _BOXES or next(element.iter("main", "article", "h1"), None) is not None:
        return False
    if _KIND.search(f"{element.get('id')} {element.get('class')}"):
        return True
    return next(element.iter(*_HEADINGS), None) is None and not any(
        above.tag in ("main", "article") or above.get("role") == "main"
        for above in element.iterancestors()
    )


def _chars(element: Any) -> int:
    return len(" ".join(_string(element).split()))
