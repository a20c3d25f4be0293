"""Guesses what the user meant by a wrong name or value, for error messages."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

_OTHER_NAMES = {
    "budget": "max_requests",
    "db": "store",
    "domain": "allowed_domains",
    "domains": "allowed_domains",
    "keywords": "query",
    "lb": "lower_bound",
    "limit": "max_requests",
    "max_pages": "max_requests",
    "model": "relevance",
    "pages": "max_requests",
    "q": "query",
    "requests": "max_requests",
    "search": "query",
    "start_url": "seeds",
    "start_urls": "seeds",
    "threshold": "relevant_at",
    "topic": "query",
    "ub": "upper_bound",
    "url": "seeds",
    "urls": "seeds",
}
"""Names that other crawlers and the papers use, and the options that they mean."""

_HOST = re.compile(
    r"(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|(?:[\w-]+\.)+[^\W\d_][\w-]+)(?::\d+)?(?:[/?#]\S*)?"
)
"""A host name or IPv4 address, with a port, path, query or fragment."""
_GROUPED = re.compile(r"\d{1,3}(?:[ ,.'’]\d{3})+")
"""A whole number whose thousands are separated, such as 1,000."""
_SECONDS = re.compile(r"(\d+(?:\.\d+)?)\s*s(?:ec(?:ond)?s?)?", re.IGNORECASE)
_PERCENT = re.compile(r"(\d{1,2}(?:\.\d+)?|100)\s*%")


def nearest(word: str, names: Iterable[str]) -> str:
    """Return the name that is most similar to `word`, "" if none is similar.

    >>> nearest("best_frist", ("evo", "best_first")), nearest("zzz", ("evo",))
    ('best_first', '')
    """
    by_letters = {_letters(name): name for name in reversed([*names])}
    near = difflib.get_close_matches(_letters(word), by_letters, n=1)
    return by_letters[near[0]] if near else ""


def nearest_option(name: str, options: Iterable[str]) -> str:
    """Return the option that the user means by the unknown `name`, "" if that is not known.

    >>> nearest_option("maxrequests", ("max_requests",)), nearest_option("budget", ())
    ('max_requests', 'max_requests')
    """
    return _OTHER_NAMES.get(name.lower()) or nearest(name, options)


def did_you_mean(word: object, names: Iterable[str]) -> str:
    """Return the question for the name most similar to `word`, "" if none is similar.

    >>> did_you_mean("evoo", ("evo", "energy"))
    'did you mean evo?'
    """
    near = nearest(str(word), names)
    return f"did you mean {near}?" if near else ""


def value_hint(name: str, value: object, allowed: str = "") -> str:
    """Return what the user probably meant by a refused `value` of option `name`, "" if unknown.

    `allowed` is the text of the allowed values.

    >>> value_hint("seed", "https://a.example/")
    'did you mean seeds=https://a.example/?'
    >>> value_hint("max_requests", "1e3"), value_hint("max_requests", "1,000")
    ('did you mean 1000?', 'did you mean 1000?')
    >>> value_hint("progress_s", "10 s"), value_hint("relevant_at", "50%", "a number from 0 to 1")
    ('did you mean 10?', 'did you mean 0.5?')
    """
    text = str(value).strip()
    if name.lower().removeprefix("evocrawl_") == "seed" and is_address(text):
        seeds = "EVOCRAWL_SEEDS" if name.isupper() else "seeds"
        return f"did you mean {seeds}={text}?"
    if name.lower().endswith("_s") and (time := _SECONDS.fullmatch(text)):
        return f"did you mean {time[1]}?"
    if allowed.endswith("from 0 to 1") and (share := _PERCENT.fullmatch(text)):
        return f"did you mean {float(share[1]) / 100:g}?"
    if _GROUPED.fullmatch(text):
        return f"did you mean {re.sub(r'[^0-9]', '', text)}?"
    try:
        number = float(text)
    except ValueError:
        return ""
    is_whole = number.is_integer() and number >= 0 and str(int(number)) != text
    return f"did you mean {int(number)}?" if is_whole else ""


def is_address(text: str) -> bool:
    """Return whether `text` is an address on the web, with or without its scheme.

    >>> is_address("https://a.example/"), is_address("www.example.com"), is_address("7")
    (True, True, False)
    """
    return bool(re.match(r"https?://", text, re.I) or _HOST.fullmatch(text))


def address_hint(text: str) -> str:
    """Return the address that the user probably meant by a refused one, "" if unknown.

    >>> address_hint("www.example.com"), address_hint("htp://a.example/x")
    ('did you mean https://www.example.com?', 'did you mean http://a.example/x?')
    >>> address_hint("ftp://a.example/"), address_hint("https:/a.example")
    ('', 'did you mean https://a.example?')
    >>> address_hint("https://a.example:99999/"), address_hint("a.example:99999")
    ('a port is at most 65535', 'a port is at most 65535')
    """
    if _HOST.fullmatch(text):
        return _meant(f"https://{text}", text)
    scheme, colon, rest = text.partition(":")
    bare = rest.lstrip("/")
    near = difflib.get_close_matches(scheme.lower(), ("https", "http"), n=1, cutoff=0.75)
    if colon and near and _HOST.fullmatch(bare):
        return _meant(f"{near[0]}://{bare}", text)
    return ""


def _meant(address: str, given: str) -> str:
    """Return the question for an address, unless it is what was given or no address either."""
    try:
        _ = urlsplit(address).port
    except ValueError:
        return "a port is at most 65535"
    return f"did you mean {address}?" if address != given else ""


def domain_hint(text: str) -> str:
    """Return the domain of an address that is given in place of a domain, "" if there is none.

    >>> domain_hint("https://a.example/x")
    'did you mean a.example?'
    >>> domain_hint("*.a.example")
    'did you mean a.example?'
    """
    if text.startswith("*.") and _HOST.fullmatch(text[2:]):
        return f"did you mean {text[2:]}?"
    try:
        host = urlsplit(text).hostname
    except ValueError:
        return ""
    return f"did you mean {host}?" if host else ""


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower())
