"""Ends the head of a page where a browser ends it.

Pages may leave out the tags of head and body (HTML, "optional tags"). The parser knows the elements
of HTML 4 alone, and takes newer ones, such as `main` and `header`, as parts of such a head.
"""

from __future__ import annotations

from typing import Any

from lxml import etree

_OF_HEAD = frozenset(
    ("base", "basefont", "bgsound", "link", "meta", "noframes", "noscript", "object", "script",
     "style", "template", "title")
)  # fmt: skip
"""Elements that do not begin the body (HTML, "in head"), and one that HTML 4 allows there."""


def end_head(root: Any) -> None:
    """Move the first element of the head that begins the body, and all after it, to the body."""
    head = root.find("head")
    if head is None:
        return
    first = next((at for at, child in enumerate(head) if child.tag not in _OF_HEAD), None)
    if first is None:
        return
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    moved = head[first:]
    if body.text:
        moved[-1].tail = (moved[-1].tail or "") + body.text
        body.text = None
    body[:0] = moved
