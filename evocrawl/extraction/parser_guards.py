"""Prepares hostile pages so that parsers take time in proportion to the size of the page.

All patterns take time linear in the page: after the beginning of a tag no alternative fails, and
possessive quantifiers do not go back.
"""

from __future__ import annotations

import codecs
import json
import re

from evocrawl.extraction.possessive import compiled
from evocrawl.extraction.sniffing import is_known_file

_ATTRIBUTES = rb"""(?:[^>=]++ | =\s*+ (?:"[^"]*+"? | '[^']*+'?)?+)*+ >?"""
_FLAGS = re.VERBOSE | re.IGNORECASE
_TAG = compiled(rb"(<[a-z][a-z0-9]*)" + _ATTRIBUTES, _FLAGS)
_TAGS = compiled(
    rb"""<(?:
        script\b %(attributes)s [^<]*+ (?:<(?!/script) [^<]*+)*+  # what a script holds is no tag
        | style\b %(attributes)s [^<]*+ (?:<(?!/style) [^<]*+)*+
        | !-- (?s:.*?) (?:-->|\Z)
        | [a-z] %(attributes)s
    )"""
    % {b"attributes": _ATTRIBUTES},
    _FLAGS,
)
_KEPT_FLAT = (
    b"html|body|a|area|base|frame|h1|iframe|img|link|meta|noscript|script|style|template|title"
)
_NESTING = compiled(rb"</?(?!(?:%s)[\s/>]) [a-z] %s" % (_KEPT_FLAT, _ATTRIBUTES), _FLAGS)
_QUOTED = re.compile(rb""""[^"]*+"|'[^']*+'""")
_ATTRIBUTE_BYTES = 8
_BINARY = re.compile(rb"[\1-\x08\x0e-\x1a\x1c-\x1f]")
_SNIFFED_BYTES = 1_445


def is_markup(body: bytes) -> bool:
    """Return whether `body` may be HTML or text; its Content-Type is not considered.

    Return False for well-known file formats, for a JSON object or array, and for a file that begins
    with no tag and has bytes that no text has (after WHATWG MIME Sniffing §§6–7; broken HTML may
    contain NUL).
    """
    head = body[:_SNIFFED_BYTES]
    if head.startswith((b"\xfe\xff", b"\xff\xfe")):
        return True
    if is_known_file(head):
        return False
    if head.removeprefix(codecs.BOM_UTF8).lstrip().startswith((b"{", b"[")):
        return not _is_json(body)
    return b"<" in head or not _BINARY.search(head)


def _is_json(body: bytes) -> bool:
    """Return whether a body is JSON, or has JSON in each of its first two lines."""
    return _parses(body) or all(map(_parses, [*body.split(b"\n", 2), b""][:2]))


def _parses(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def without_giant_tags(html: bytes, most_bytes: int, most_attributes: int) -> bytes:
    """Remove the attributes of start tags of more than `most_bytes`, or with too many of them.

    Parsers compare each attribute of a tag with all others (60 000 of them: 5 s).
    """
    few_bytes = min(_ATTRIBUTE_BYTES * most_attributes, most_bytes)

    def without_attributes(found: bytes) -> bytes:
        tag = _TAG.match(found) if len(found) > few_bytes else None
        if tag is None or len(tag[0]) <= few_bytes:
            return found
        if len(tag[0]) <= most_bytes and _attributes(tag[0]) <= most_attributes:
            return found
        return tag[1] + b">" + found[tag.end() :]

    # Scripts and comments are long, too; few pages have a giant tag among their long parts.
    long = [found for found in _TAGS.findall(html) if len(found) > few_bytes]
    if all(without_attributes(found) is found for found in long):
        return html
    return _TAGS.sub(lambda match: without_attributes(match[0]), html)


def _attributes(tag: bytes) -> int:
    """Return the approximate number of attributes of a start tag, ignoring quoted text."""
    bare = _QUOTED.sub(b"", tag)
    return max(len(bare.split()) - 1, bare.count(b"="))


def flat(html: bytes) -> bytes:
    """Remove all nesting tags except links and the tags that the reader distinguishes.

    Text and links stay in their order. Hidden parts and navigation can no longer be recognised.
    """
    return _NESTING.sub(b" ", html)
