"""Files by which a server reserves its pages against mining and machine learning.

=================================  ==============================================================
file                               what counts
=================================  ==============================================================
``/ai.txt`` (Spawning)             the rules of robots.txt (RFC 9309), for the group of the crawl's
                                   product token or else ``*``; a rule is a file type (``*.html``)
                                   or a path. A page without a file type counts as ``.html``, too
``/.well-known/tdmrep.json``       a JSON array of objects with ``location``, ``tdm-reservation``
                                   and ``tdm-policy``; the first rule that matches decides (W3C TDM
                                   Reservation Protocol, final report of 10 May 2024)
=================================  ==============================================================

Files are text of the web. A file has at most `MOST_BYTES`; patterns are matched without regular
expressions, in time linear in the pattern and the address.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import quote, urlsplit

from evocrawl.core.text.binary import is_binary
from evocrawl.core.urls.identity import identity
from evocrawl.politeness.robots.rules import RobotsRules, authority

AI_TXT, TDMREP = "/ai.txt", "/.well-known/tdmrep.json"
FILES = (AI_TXT, TDMREP)
MOST_BYTES = 256 * 1024

FOUND, NONE, REFUSED, FAILED = "found", "none", "refused", "failed"
ANSWERS = (FOUND, NONE, REFUSED, FAILED)

_ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})")
_LONGEST_POLICY = 2000


@dataclass(frozen=True, slots=True)
class OptOutFile:
    """What the server `authority` has answered for the file at `path`.

    `answer` is "found", "none" (a status of 400 to 499, or a page in its place), "refused" (by
    robots.txt or the address guard: it was not requested) or "failed". `agent` is the product token
    of the crawl. `body` is empty unless the file was found.
    """

    authority: str
    path: str
    answer: str
    agent: str = ""
    body: bytes = b""

    def pack(self) -> bytes:
        """Return `answer`, `agent` and `body` as one row of a store."""
        return json.dumps([self.answer, self.agent]).encode("ascii") + b"\n" + self.body

    @classmethod
    def unpack(cls, authority: str, path: str, row: bytes) -> OptOutFile:
        """Read a row; raises ValueError if it is none."""
        head, _, body = row.partition(b"\n")
        try:
            answer, agent = json.loads(head)
        except TypeError as error:
            raise ValueError(f"no opt-out file: {path!r}") from error
        if path not in FILES or answer not in [*ANSWERS] or not isinstance(agent, str):
            raise ValueError(f"no opt-out file: {path!r} {answer!r}")
        return cls(authority, path, answer, agent, body[:MOST_BYTES])


def answer_of(path: str, status: int, content_type: str, body: bytes) -> str:
    """Return what a response for an opt-out file means.

    Many servers send a page with the status 200 for what they do not have: that is no file.
    """
    if not 200 <= status < 300:
        return NONE if 300 <= status < 500 and status not in (408, 429) else FAILED
    is_page = "html" in content_type.lower() or body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<"
    return NONE if is_page or (path == AI_TXT and is_binary(body)) else FOUND


@dataclass(frozen=True, slots=True)
class Reservation:
    """What a rule of tdmrep.json declares: `is_reserved` is None if its value is invalid."""

    is_reserved: bool | None
    policy: str = ""


class TdmRules:
    """The rules of a tdmrep.json. Raises ValueError if the file cannot be read.

    >>> rules = TdmRules(b'[{"location": "/a/*.pdf$", "tdm-reservation": 1}]', "http://h.test")
    >>> rules.of("http://h.test/a/b.pdf"), rules.of("http://h.test/a/b.pdf?x")
    (Reservation(is_reserved=True, policy=''), None)
    """

    _VALUES: ClassVar[dict[object, bool]] = {1: True, 0: False, "1": True, "0": False}

    def __init__(self, body: bytes, place: str) -> None:
        try:
            found = json.loads(body.decode("utf-8-sig"))
        except RecursionError as error:
            raise ValueError("its values are nested too deeply") from error
        # The array is mandatory; a single rule without it is clear, though.
        rules = [found] if isinstance(found, dict) else found
        if not isinstance(rules, list):
            raise ValueError("it is no array of rules")
        self._rules = [
            (_parts(location), self._reservation(rule))
            for rule in rules
            if isinstance(rule, dict) and (location := _location(rule, place)) is not None
        ]

    def __len__(self) -> int:
        return len(self._rules)

    def of(self, url: str) -> Reservation | None:
        """Return what the first rule that matches declares, None without one. O(rules)."""
        path = _target(identity(url))
        return next((found for parts, found in self._rules if _matches(parts, path)), None)

    @classmethod
    def _reservation(cls, rule: dict[str, Any]) -> Reservation:
        value, policy = rule.get("tdm-reservation"), rule.get("tdm-policy")
        is_plain = isinstance(value, int | str) and not isinstance(value, bool)
        is_reserved = cls._VALUES.get(value) if is_plain else None
        policy = policy[:_LONGEST_POLICY] if isinstance(policy, str) and is_reserved else ""
        return Reservation(is_reserved, policy)


class AiRules:
    """The rules of an ai.txt for the product token `agent`."""

    def __init__(self, body: bytes, agent: str) -> None:
        self._rules = RobotsRules.from_response(200, body, agent)

    def __len__(self) -> int:
        return self._rules.size

    def allows(self, url: str) -> bool:
        """Return whether the page may be used; ``/ai.txt`` forbids nothing that it does not name.

        >>> rules = AiRules(b"User-Agent: *\\nDisallow: *.html", "")
        >>> [rules.allows(f"http://h.test/{name}") for name in ("a.html", "a", "a.png")]
        [False, False, True]
        """
        path, mark, query = identity(url).partition("?")
        if "." not in path.rpartition("/")[2]:
            typed = f"{path}.html{mark}{query}"
            return self._rules.allows(url) and self._rules.allows(typed)
        return self._rules.allows(url)


class ServerOptOuts:
    """What the opt-out files of one server declare; `unreadable` names those that have no form."""

    def __init__(self, files: tuple[OptOutFile, ...]) -> None:
        self.answers = {each.path: each.answer for each in files}
        self.unreadable: tuple[str, ...] = ()
        self._ai: AiRules | None = None
        self._tdm: TdmRules | None = None
        for each in files:
            if each.answer != FOUND:
                continue
            if each.path == AI_TXT:
                self._ai = AiRules(each.body, each.agent)
                continue
            try:
                self._tdm = TdmRules(each.body, each.authority)
            except ValueError:
                self.unreadable = (each.path,)

    @property
    def size(self) -> int:
        """The number of rules."""
        return len(self._ai or ()) + len(self._tdm or ())

    def forbids(self, url: str) -> bool:
        """Return whether ai.txt forbids the use of a page."""
        return self._ai is not None and not self._ai.allows(url)

    def reservation(self, url: str) -> Reservation | None:
        """Return what tdmrep.json declares of a page, None if it has no rule for it."""
        return None if self._tdm is None else self._tdm.of(url)


def _location(rule: dict[str, Any], place: str) -> str | None:
    """Return the pattern of a rule, None if it has none or names another server."""
    location = rule.get("location")
    if not isinstance(location, str) or not location.strip():
        return None
    location = location.strip()
    if not location.lower().startswith(("http://", "https://")):
        return location if location[0] in "/*" else f"/{location}"
    try:
        is_own = authority(location) == place
    except ValueError:
        return None
    parts = urlsplit(location)
    return f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}" if is_own else None


def _parts(location: str) -> tuple[list[str], bool]:
    """Return what stands between the ``*`` of a pattern, and whether it has to match to the end."""
    is_whole = location.endswith("$")
    pattern = location[:-1] if is_whole else location
    return [_spelt(each) for each in pattern.split("*")], is_whole


def _matches(pattern: tuple[list[str], bool], path: str) -> bool:
    """Return whether a pattern matches. Each part is found once, as far left as it goes."""
    (first, *others), is_whole = pattern
    if not path.startswith(first):
        return False
    at = len(first)
    last = others.pop() if is_whole and others else None
    for part in others:
        found = path.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    if last is not None:
        return path.endswith(last) and len(path) - len(last) >= at
    return not is_whole or at == len(path)


def _target(url: str) -> str:
    parts = urlsplit(url)
    return _spelt(parts.path + (f"?{parts.query}" if parts.query else ""))


def _spelt(text: str) -> str:
    """Return text in one spelling, with ``$``, ``*`` and unreserved characters as they are."""

    def decoded(match: re.Match[str]) -> str:
        char = chr(int(match[1], 16))
        return char if char.isascii() and (char.isalnum() or char in "-._~$*") else match[0].upper()

    return _ESCAPED.sub(decoded, quote(text, safe="/?:@!$&'()*+,;=-._~%[]", errors="replace"))
