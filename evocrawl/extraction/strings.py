"""Extracts the visible text at the start or end of elements, once per element."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from lxml import etree

from evocrawl.extraction.visibility import Hidden


def collapsed(text: str) -> str:
    """Return a text with one space for each run of white space, none at the ends.

    >>> collapsed("  a \\n b ")
    'a b'
    """
    return " ".join(text.split())


def text_of_chain(element: Any, unread: set[Any]) -> str | None:
    """Return the text of an element in which each element contains at most one other.

    None for other elements, and if one of them is a link or `unread`. This takes half the time of
    the general case.
    """
    text, tails = element.text or "", ""
    while children := len(element):
        element = element[0]
        if children > 1 or element.tag == "a" or element in unread:
            return None
        text += element.text or ""
        tails = f"{element.tail or ''}{tails}"
    return text + tails


class _Strings(ABC, dict[Any, str]):
    """Caches the first or last characters of each element's text."""

    def __init__(self, expression: str, chars: int, hidden: Hidden) -> None:
        super().__init__()
        self._evaluate: Any = etree.XPath(expression, smart_strings=False)
        self._chars = chars
        self._unread = hidden.unread
        self._around = hidden.around

    def __missing__(self, element: Any) -> str:
        text: str
        children = len(element)
        if not children:
            text = element.text or ""
        elif children == 1 and not len(child := element[0]):
            inner = "" if child in self._unread else child.text or ""
            text = f"{element.text or ''}{inner}{child.tail or ''}"
        elif element in self._around:
            self._take_parts(element)
            return self[element]
        else:
            text = self._evaluate(element)
        if len(text) > self._chars:
            text = self._cut(text)
        self[element] = text
        return text

    @abstractmethod
    def _cut(self, text: str) -> str:
        """Return the wanted end of a text that is too long."""

    def _take_parts(self, element: Any) -> None:
        """Read the text of an element with hidden ones in it, without recursion."""
        around, unread = self._around, self._unread
        stack = [(element, iter(element))]
        while stack:
            top, children = stack[-1]
            for child in children:
                if child in around and child not in unread and child not in self:
                    stack.append((child, iter(child)))
                    break
            else:
                stack.pop()
                self[top] = self._without_hidden(top)

    @abstractmethod
    def _without_hidden(self, element: Any) -> str:
        """Return the text of an element without the text of hidden elements in it."""

    def _read(self, child: Any) -> str:
        return "" if child in self._unread else self[child]


class Starts(_Strings):
    """The first `chars` characters of each element's text."""

    def __init__(self, chars: int, hidden: Hidden) -> None:
        super().__init__(f"substring(string(), 1, {chars})", chars, hidden)

    def _cut(self, text: str) -> str:
        return text[: self._chars]

    def _without_hidden(self, element: Any) -> str:
        parts, chars = [element.text or ""], 0
        for child in element:
            parts += (self._read(child), child.tail or "")
            chars += len(parts[-1]) + len(parts[-2])
            if chars >= self._chars:
                break
        return self._cut("".join(parts))


class Ends(_Strings):
    """The last `chars` characters of each element's text."""

    def __init__(self, chars: int, hidden: Hidden) -> None:
        super().__init__(f"substring(string(), string-length() - {chars - 1})", chars, hidden)

    def _cut(self, text: str) -> str:
        return text[-self._chars :]

    def _without_hidden(self, element: Any) -> str:
        parts: list[str] = []
        chars = 0
        for child in element.iterchildren(reversed=True):
            parts += (child.tail or "", self._read(child))
            chars += len(parts[-1]) + len(parts[-2])
            if chars >= self._chars:
                break
        else:
            parts.append(element.text or "")
        return self._cut("".join(reversed(parts)))
