"""Which elements a page itself hides, told by their attributes; style sheets are not read."""

from __future__ import annotations

from typing import Any

from lxml import etree

_HIDING = ("display:none", "visibility:hidden")
# Not one expression: libxml2 takes time quadratic in the number of nodes for unions and parents.
_attributes: Any = [etree.XPath(f"//@{name}") for name in ("hidden", "aria-hidden", "style")]


def is_hidden(element: Any) -> bool:
    """Whether `element` itself is hidden, its ancestors aside."""
    if element.get("hidden") is not None or element.get("aria-hidden") == "true":
        return True
    style = element.get("style")
    return style is not None and any(each in "".join(style.lower().split()) for each in _HIDING)


def empty_hidden(root: Any) -> None:
    """Empty the hidden elements of the tree."""
    for find in _attributes:
        for element in [value.getparent() for value in find(root)]:
            if is_hidden(element):
                element.clear(keep_tail=True)
