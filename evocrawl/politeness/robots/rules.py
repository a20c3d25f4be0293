"""Rules of robots.txt (RFC 9309): from the server's response to the verdict on a URL.

========================  =====================================================================
response                  verdict
========================  =====================================================================
2xx                       the rules of the first 500 KiB (RFC 9309 §2.5)
4xx                       unavailable: every URL is allowed, the body is ignored (§2.3.1.3)
429, 5xx, any other       unreachable: every URL is disallowed for now, retry (§2.3.1.4)
no response, time-out     unreachable
========================  =====================================================================

The caller follows redirects (§2.3.1.2), see `redirect_target`; the rules belong to the authority
of the first request. This package chooses the group by the exact product token (§2.2.1); Protego
matches the paths of the group, without regular expressions.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from enum import Enum
from math import inf
from urllib.parse import urlsplit

from protego import Protego

from evocrawl.core.urls.identity import identity
from evocrawl.core.urls.resolve import resolve
from evocrawl.politeness.robots.parser import rule_lines

MAX_REDIRECTS = 5
MAX_LIFETIME_S = 24 * 3600.0
MIN_LIFETIME_S = 300.0
MAX_RETRY_AFTER_S = 3600.0

_DECISIONS = 4096
_FEW_RULES = 200
_TOKEN = re.compile(r"[\w-]+")
_NAMED_BOT = re.compile(r"[(;]\s*compatible;\s*([\w-]+)", re.IGNORECASE)
_SLASHES = re.compile("/{2,}")
_ENCODED_SLASH = re.compile(r"%2F|%5C", re.IGNORECASE)
_PARAMETERS = re.compile(";[^/]*")
_TRICK = re.compile(r"//|/\.{1,2}(?:/|\Z)")
_MAX_AGE = re.compile(r"max-age=\"?(\d{1,10})", re.IGNORECASE)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Verdict(Enum):
    """Row of the table above; BARRED if the crawl may not even fetch robots.txt."""

    RULES = "rules"
    UNAVAILABLE = "unavailable"
    UNREACHABLE = "unreachable"
    BARRED = "barred"


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """The rules of one authority for one agent.

    `lifetime_s` is how long the rules are valid, in [300, 86 400] seconds. `crawl_delay_s` is the
    Crawl-delay as written, 0 if it is missing or not a number of at least 0. `retry_after_s`
    is the Retry-After of an unreachable server, in [0, 3600]. `size` counts the rule lines. `cause`
    is the error if there was no response.
    """

    verdict: Verdict
    lifetime_s: float = MAX_LIFETIME_S
    crawl_delay_s: float = 0.0
    retry_after_s: float = 0.0
    size: int = 0
    cause: Exception | None = field(default=None, repr=False, compare=False)
    _matcher: Protego | None = field(default=None, repr=False, compare=False)
    _decided: OrderedDict[str, bool] = field(
        default_factory=OrderedDict, init=False, repr=False, compare=False
    )

    @classmethod
    def from_response(
        cls,
        status: int,
        body: bytes,
        agent: str,
        *,
        cache_control: str = "",
        retry_after_s: float = 0.0,
    ) -> RobotsRules:
        """Return the rules for the product token `agent` in a response that is not a redirect.

        500 KiB of wildcard rules take up to a second, so parse large bodies outside the event
        loop. Never raises, for any body.
        """
        if 400 <= status < 500 and status != 429:
            return cls(Verdict.UNAVAILABLE, _lifetime_s(cache_control))
        if not 200 <= status < 300:
            return cls.unreachable(retry_after_s)
        lines = rule_lines(body, agent.lower())
        matcher = Protego.parse("\n".join(["User-agent: *", *lines]))
        return cls(
            Verdict.RULES,
            _lifetime_s(cache_control),
            matcher.crawl_delay(agent) or 0.0,
            size=len(lines),
            _matcher=matcher,
        )

    @classmethod
    def unreachable(cls, retry_after_s: float = 0.0, cause: Exception | None = None) -> RobotsRules:
        """Return the complete disallow of RFC 9309 §2.3.1.4."""
        return cls(Verdict.UNREACHABLE, retry_after_s=retry_after_s, cause=cause)

    @classmethod
    def barred(cls) -> RobotsRules:
        """Return rules that disallow every URL, for an authority that may not be contacted."""
        return cls(Verdict.BARRED)

    def allows(self, url: str) -> bool:
        """Return whether `url` may be fetched; ``/robots.txt`` is always allowed.

        Servers interpret a path in different ways, so a URL is allowed only if each interpretation
        is: as written, with its dot segments and percent-encoding resolved, and with doubled
        slashes merged. Returns False for other than http(s) URLs. Large rule sets cache the last
        4096 decisions.

        >>> body = b"User-agent: *\\nDisallow: /private"
        >>> rules = RobotsRules.from_response(200, body, "evocrawl")
        >>> rules.allows("http://h/public"), rules.allows("http://h/x/%2e%2e//private")
        (True, False)
        """
        if self.size <= _FEW_RULES:
            return self._decide(url)
        known = self._decided.get(url)
        if known is None:
            known = self._decided[url] = self._decide(url)
            if len(self._decided) > _DECISIONS:
                self._decided.popitem(last=False)
        else:
            self._decided.move_to_end(url)
        return known

    def crawl_delay(self, cap_s: float) -> float:
        """Return the delay between two requests in seconds, in [0, `cap_s`]."""
        return min(self.crawl_delay_s, cap_s)

    def _decide(self, url: str) -> bool:
        try:
            readings = _readings(url)
        except ValueError:
            return False
        if _is_robots_txt(readings):
            return True
        if self._matcher is None:
            return self.verdict is Verdict.UNAVAILABLE
        return all(self._matcher.can_fetch(reading, "*") for reading in readings)


def authority(url: str) -> str:
    """Return the key of the rules of `url`: scheme, host and port (RFC 9309 §2.3).

    Raises ValueError if `url` is not an http(s) URL with a host and a valid port.

    >>> authority("HTTP://Example.com:80/a?b"), authority("https://example.com:8443")
    ('http://example.com', 'https://example.com:8443')
    """
    parts = urlsplit(url.strip())
    return identity(f"{parts.scheme}://{parts.netloc}/")[:-1]


def product_token(user_agent: str) -> str:
    """Return the name in a User-Agent header that robots.txt groups match, "" if it has none.

    >>> product_token("evocrawl/0.1 (+https://example.com)")
    'evocrawl'
    >>> product_token("Mozilla/5.0 (compatible; evocrawl/0.1)")
    'evocrawl'
    """
    named = _NAMED_BOT.search(user_agent)
    if named:
        return named[1].lower()
    first = _TOKEN.match(user_agent.strip())
    return first[0].lower() if first else ""


def redirect_target(status: int, url: str, location: str) -> str | None:
    """Return the http(s) URL to which a response of `url` redirects, None if there is none.

    >>> redirect_target(301, "http://a/robots.txt", "//b/robots.txt")
    'http://b/robots.txt'
    """
    if status not in _REDIRECTS or not location.strip():
        return None
    try:
        target = resolve(url, location)
        identity(target or "")
    except ValueError:
        return None
    return target


def retry_after(value: str, now_s: float) -> float:
    """Return the seconds of a Retry-After header, in [0, 3600] (RFC 9110 §10.2.3).

    `now_s` is Unix time, to subtract from a date. Returns 0 for neither seconds nor a date.
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return min(float(value[:10]), MAX_RETRY_AFTER_S)
    try:
        seconds = parsedate_to_datetime(value).timestamp() - now_s
    except (ValueError, TypeError, OverflowError, OSError):
        return 0.0
    return min(max(seconds, 0.0), MAX_RETRY_AFTER_S)


def _lifetime_s(cache_control: str) -> float:
    """Return at most a day (RFC 9309 §2.4), which Cache-Control can shorten to five minutes."""
    directives = cache_control.lower()
    if "no-cache" in directives or "no-store" in directives:
        return MIN_LIFETIME_S
    found = _MAX_AGE.search(directives)
    asked = float(found[1]) if found else inf
    return min(max(asked, MIN_LIFETIME_S), MAX_LIFETIME_S)


def _readings(url: str) -> list[str]:
    """Return the distinct URLs as which a server may interpret `url`.

    Some servers merge slashes, before or after they resolve dot segments: ``/a//../b`` is ``/a/b``
    to one and ``/b`` to another. Some decode ``%2F`` first, and some ignore what follows a
    semicolon; if that creates dot segments or doubled slashes, the result is an interpretation too.
    The query is unchanged.
    """
    url = url.strip().partition("#")[0]
    place, mark, query = url.partition("?")
    resolved = identity(place)
    places = [resolved, identity(_merge_slashes(place)), _merge_slashes(resolved)]
    loose = _PARAMETERS.sub("", _ENCODED_SLASH.sub("/", resolved))
    if loose != resolved and _TRICK.search(loose, len("https://")):
        places += [identity(loose), identity(_merge_slashes(loose))]
    return list(dict.fromkeys([url, *(place + mark + query for place in places)]))


def _merge_slashes(place: str) -> str:
    scheme, mark, rest = place.partition("://")
    return scheme + mark + _SLASHES.sub("/", rest)


def _is_robots_txt(readings: list[str]) -> bool:
    return all(urlsplit(reading).path == "/robots.txt" for reading in readings)
