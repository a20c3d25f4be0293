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
"""What holds one of these is no footer, under any name."""

_CANDIDATES = 50

_names: Any = [etree.XPath(f"//@{name}") for name in ("id", "class")]
_string: Any = etree.XPath("string()", smart_strings=False)


def empty_footers(root: Any, text: str) -> bool:
    """Empty the footers of the page where `text`, collapsed, is of one of them, or one is of it.

    Return whether that was so. A page of nothing but a menu and a footer says what its menu says;
    copyright and terms, which are sentences, look like its content.
    """
    named = [value.getparent() for find in _names for value in find(root) if _NAMES.search(value)]
    footers = [
        element
        for element in islice(dict.fromkeys((*root.iter("footer"), *named)), _CANDIDATES)
        if element.tag not in ("html", "body") and next(element.iter(*_INSIDE), None) is None
    ]
    said = (" ".join(_string(footer).split()) for footer in footers)
    if not any(text in each or (each and each in text) for each in said):
        return False
    for footer in footers:
        footer.clear(keep_tail=True)
    return True
