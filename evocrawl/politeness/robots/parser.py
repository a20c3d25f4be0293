"""Finds the lines of a robots.txt that apply to one crawler (RFC 9309 §2.1 and §2.2).

The parser is lenient with encodings, line ends and misspelt field names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from w3lib.encoding import read_bom

MAX_BYTES = 500 * 1024

_TOKEN = re.compile(r"[\w-]+")
_AGENT_LINE = re.compile(r"user[- ]?agent(?:\s*:\s*|\s+)(.*)", re.IGNORECASE)
_RULE_LINE = re.compile(r"(?:allow|dis+al+[ao]w|diasllow|crawl[- ]delay)\b", re.IGNORECASE)
_UNIT = re.compile(r"(?<=\d)\s*s(?:ec(?:ond)?s?)?\.?\Z", re.IGNORECASE)
"""Unit of a Crawl-delay, which is always in seconds."""
_LINE_END = re.compile(r"\r\n?|\n")
_AROUND = " \t\0\ufeff\xa0"
"""White space, and what concatenated or zero-padded files contain."""
_NO_TEXT = re.compile("[\\udc80-\\udcff\x0b\x0c\x1c-\x1e\x85\\u2028\\u2029]+")
"""Undecodable bytes, and characters that end a line in Python but not in RFC 9309."""


def rule_lines(body: bytes, agent: str) -> list[str]:
    """Return the rule lines of the groups of `agent`, or else those of ``*``, in file order.

    `agent` is a product token in lower case. Only the first 500 KiB of `body` are read (§2.5).
    """
    own: list[str] = []
    general: list[str] = []
    named = False
    for names, rules in _groups(_text(body)):
        if agent and agent in names:
            named = True
            own.extend(rules)
        if "*" in names:
            general.extend(rules)
    return own if named else general


def _text(body: bytes) -> str:
    if len(body) > MAX_BYTES:
        # A rule that is cut ("Disallow: /" of "Disallow: /tmp") would have another meaning.
        kept = body[:MAX_BYTES]
        body = kept[: max(kept.rfind(b"\n"), kept.rfind(b"\r")) + 1]
    encoding, bom = read_bom(body)
    text = body[len(bom or b"") :].decode(encoding or "utf-8", "surrogateescape")
    return _NO_TEXT.sub(_percent_encoded, text)


def _percent_encoded(match: re.Match[str]) -> str:
    """Percent-encode bytes of another encoding, as a URL does; without them a rule is wider."""
    return quote(match[0].encode("utf-8", "surrogateescape"))


def _groups(text: str) -> Iterator[tuple[set[str], list[str]]]:
    """Yield agents and rule lines of each group. Only rules and Crawl-delay end a list of agents.

    By RFC 9309 §2.2.4 other records, such as Crawl-delay, do not end the list. But many sites write
    ``User-agent: *``, ``Crawl-delay: 10``, ``User-agent: badbot``, ``Disallow: /`` for two groups,
    so Crawl-delay counts as a rule here, as in Protego.
    """
    names: set[str] = set()
    rules: list[str] = []
    for line in _LINE_END.split(text):
        content = line.partition("#")[0].strip(_AROUND)
        header = _AGENT_LINE.match(content)
        if header:
            if rules:
                yield names, rules
                names, rules = set(), []
            names.add(_agent_name(header[1]))
        elif names and _RULE_LINE.match(content):
            rules.append(_UNIT.sub("", content) if content[:5].lower() == "crawl" else content)
    if names:
        yield names, rules


def _agent_name(value: str) -> str:
    token = _TOKEN.match(value.replace("*", "").strip())
    if token:
        return token[0].lower()
    return "*" if "*" in value else ""
