"""Finds the elements that a page hides by their attributes; ignores style sheets."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from evocrawl.extraction.styles import Shown, how_shown, may_tell

INLINE = (
    *("abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em"),
    *("font", "i", "ins", "kbd", "mark", "nobr", "q", "rb", "ruby", "s", "samp", "small", "span"),
    *("strike", "strong", "sub", "sup", "time", "tt", "u", "var"),
)
"""Elements that change only the look of words, not their role in the page."""

READINGS = ("rp", "rt", "rtc")
"""The pronunciation above the characters of a ruby; it is not a part of the sentence."""

_WHOLE = ("html", "body")
_LINKS = ("a", "area")
_WITHIN_A_LINE = frozenset((*INLINE, "a", "label"))
_DRAWN = ("title", "desc", "metadata")
"""The name of a drawing, which is not displayed."""
# Separate expressions: libxml2 takes time quadratic in the nodes for unions and parents.
_hidden: Any = [etree.XPath("//@hidden"), etree.XPath("//@aria-hidden")]
_inert: Any = [etree.XPath("//@inert")]
_popover: Any = [etree.XPath("//@popover")]
_styles: Any = etree.XPath("//@style")
_HIDDEN = re.compile(rb"""hidden(?<=[\s"'/-]hidden)[\s=>/]""")
"""Matches a possible attribute of that name, but not a word of a style sheet."""


class Hidden:
    """The hidden elements of one page, found once.

    `elements` are those that are hidden by themselves, not by an ancestor. The whole page is never
    hidden: scripts display it when it is complete, or when a dialog is closed. `unread` are the
    elements whose words belong to no context and no anchor except their own. Inside a link, these
    are only the words for no reader: words for screen readers name the link. `around` are the
    elements that contain some of `unread`.
    """

    def __init__(self, root: Any, html: bytes) -> None:
        """Find the hidden elements; `html`, the source of `root`, is searched first for speed."""
        self.elements: dict[Any, Shown] = {}
        self._within_links: dict[Any, bool] = {None: False}
        self.unread: set[Any] = set()
        lower = html.lower()
        self._find(root, lower)
        if b"<svg" in lower:
            for each in root.iter(*_DRAWN):
                if next(each.iterancestors("svg"), None) is not None:
                    self.elements[each] = Shown.ABSENT
        for element, shown in self.elements.items():
            is_within_link = self._is_within_link(element.getparent())
            if shown > Shown.UNSEEN or not is_within_link:
                self.unread.add(element)
        if not self.elements:
            self._within_links.clear()
        self.around = self._within_links.keys()

    def empty(self) -> None:
        """Empty the hidden elements of the tree."""
        for element in self.elements:
            element.clear(keep_tail=True)

    def _find(self, root: Any, lower: bytes) -> None:
        visible = []
        if may_tell(lower):
            for value in _styles(root):
                element = value.getparent()
                shown = _by_style(element, value)
                if shown == Shown.VISIBLE:
                    visible.append(element)
                elif shown and element.tag not in _WHOLE:
                    self.elements[element] = shown
        if visible and Shown.INVISIBLE in self.elements.values():
            self._uncover(visible)
        finders = [
            *(_hidden if _HIDDEN.search(lower) else ()),
            *(_inert if b"inert" in lower else ()),
            *(_popover if b"popover" in lower else ()),
        ]
        found = [value.getparent() for find in finders for value in find(root)]
        for element in (*found, *root.iter("dialog")):
            shown = _by_attributes(element)
            if shown and element.tag not in _WHOLE:
                self.elements[element] = max(shown, self.elements.get(element, shown))

    def _uncover(self, visible: list[Any]) -> None:
        """Hide the contents of invisible elements, except the visible ones."""
        known = dict.fromkeys(visible, True)
        is_visible: dict[Any, bool] = {None: True}
        for element in visible:
            above = []
            parent = element.getparent()
            while parent not in is_visible:
                above.append(parent)
                parent = parent.getparent()
            for each in reversed(above):
                is_invisible = self.elements.get(each) == Shown.INVISIBLE
                inherited = not is_invisible and is_visible[each.getparent()]
                is_visible[each] = known.get(each, inherited)
        kept = known.keys() | is_visible.keys()
        for element, seen in is_visible.items():
            if not seen:
                self._hide_parts(element, kept)

    def _hide_parts(self, element: Any, but: set[Any]) -> None:
        if self.elements.get(element) == Shown.INVISIBLE:
            del self.elements[element]
        element.text = None
        for child in element:
            child.tail = None
            if child not in but:
                self.elements.setdefault(child, Shown.INVISIBLE)

    def _is_within_link(self, element: Any) -> bool:
        above = []
        while element not in self._within_links:
            above.append(element)
            element = element.getparent()
        is_within = self._within_links[element]
        for each in reversed(above):
            is_within = self._within_links[each] = is_within or each.tag in _LINKS
        return is_within


def _by_style(element: Any, style: str) -> Shown:
    return how_shown(style, is_inline=element.tag in _WITHIN_A_LINE, has_children=len(element) > 0)


def _by_attributes(element: Any) -> Shown:
    hidden = element.get("hidden")
    if (hidden is not None and hidden.lower() != "until-found") or (
        element.get("popover") is not None
        or (element.tag == "dialog" and element.get("open") is None)
    ):
        return Shown.ABSENT
    is_inert = element.get("inert") is not None and next(element.iter("main", "h1"), None) is None
    is_unseen = is_inert or element.get("aria-hidden", "").lower() == "true"
    return Shown.UNSEEN if is_unseen else Shown.SHOWN
