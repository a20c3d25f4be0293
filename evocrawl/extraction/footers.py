"""Removes footers, which it recognises by their names."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from lxml import etree

_NAMES = re.compile(
    r"(?:\A|\s)(?:(?:site|page|main|global)[_-]?)?(?:footer|colophon)(?:\s|\Z)", re.I
)
_INSIDE = ("article", "h1", "main", "nav")
"""An element that contains one of these is not a footer, with any name."""

_CANDIDATES = 50

_names: Any = [etree.XPath(f"//@{name}") for name in ("id", "class")]
_string: Any = etree.XPath("string()", smart_strings=False)


def empty_footers(root: Any, text: str) -> bool:
    """Empty the footers if `text`, collapsed, contains one of them or is a part of one.

    Return whether it does. On a page with only a menu and a footer, the sentences of the footer
    (copyright, terms) look like content; the menu describes such a page better.
    """
    named = [value.getparent() for find in _names for value in find(root) if _NAMES.search(value)]
    footers = [
        element
        for element in islice(dict.fromkeys((*root.iter("footer"), *named)), _CANDIDATES)
        if element.tag not in ("html", "body") and next(element.iter(*_INSIDE), None) is None
    ]
    texts = (" ".join(_string(footer).split()) for footer in footers)
    if not any(text in each or (each and each in text) for each in texts):
        return False
    for footer in footers:
        footer.clear(keep_tail=True)
    return True
