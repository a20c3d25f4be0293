"""Licences that a page names, and its signals against use for machine learning and mining.

===================  ==========================================================================
signal               where
===================  ==========================================================================
``noai``             meta robots or X-Robots-Tag; also ``noimageai``, ``noml``
``noindex`` …        ``noarchive`` and ``none`` in the same places, for all robots
``tdm-reservation``  header or meta of that name with the value 1 (W3C TDM Reservation Protocol);
                     the meta prevails over the header, and both over the file of the server
===================  ==========================================================================
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from evocrawl.core.fetch import RawResponse
from evocrawl.extraction.decoding import header_encoding
from evocrawl.extraction.html import head_and_links
from evocrawl.extraction.markdown import body_of, header_of
from evocrawl.extraction.markdown_text import safe_link, without_unseen

_DIRECTIVES = ("noai", "noimageai", "noml", "noindex", "noarchive", "none")
_META_NAMES = ("license", "licence", "dc.rights", "dcterms.license", "dcterms.rights", "rights",
               "copyright")  # fmt: skip
_CREATIVE_COMMONS = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/(licenses|publicdomain)/([a-z0-9+-]+)/?([0-9.]*)",
    re.I,
)
_RESERVED = {"1": True, "0": False}
_LONGEST = 200
_MOST = 20


@dataclass(frozen=True, slots=True)
class Rights:
    """Licences are URLs or the words of the page; opt-outs are names of signals, sorted.

    `is_reserved` is what header and meta declare of mining, None if they declare nothing, and
    `policy` is the address of the conditions that they name, "" for none.
    """

    licenses: tuple[str, ...] = ()
    opt_outs: tuple[str, ...] = ()
    is_reserved: bool | None = None
    policy: str = ""


def rights_of(answer: RawResponse, url: str) -> Rights:
    """Return the licences and opt-outs of a response; never raises."""
    opt_outs = {*_directives(header_of(answer, "x-robots-tag").split(","))}
    is_reserved = _RESERVED.get(header_of(answer, "tdm-reservation").strip())
    policy = header_of(answer, "tdm-policy")
    licenses: dict[str, None] = {}
    body = body_of(answer)
    charset = header_encoding(header_of(answer, "content-type").rpartition(",")[2])
    root = None if body is None else head_and_links(body, charset)
    if root is not None:
        for name, content in _metas(root):
            if name in ("robots", "evocrawl"):
                opt_outs |= {*_directives(content.split(","))}
            elif name == "tdm-reservation":
                is_reserved = _RESERVED.get(content.strip(), is_reserved)
            elif name == "tdm-policy":
                policy = content
            elif name in _META_NAMES:
                licenses.setdefault(_short(content))
        for found in (*_links(root, url), *_structured(root)):
            licenses.setdefault(_short(found))
        licenses.pop("", None)
    if is_reserved:
        opt_outs.add("tdm-reservation")
    named = policy_address(policy, url) if is_reserved else ""
    return Rights(tuple(licenses)[:_MOST], tuple(sorted(opt_outs)), is_reserved, named)


def policy_address(written: str, url: str) -> str:
    """Return the address that a `tdm-policy` of the page `url` names, "" if it names none."""
    return _short(safe_link(written, url)) if written.strip() else ""


def _directives(values: Iterable[str]) -> Iterator[str]:
    """Yield known directives; ``otherbot: noai`` is for another robot."""
    for value in values:
        word = value.strip().lower()
        if word in _DIRECTIVES:
            yield word


def _metas(root: Any) -> Iterator[tuple[str, str]]:
    for meta in root.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").strip().lower()
        if name and meta.get("content"):
            yield name, meta.get("content")


def _links(root: Any, url: str) -> Iterator[str]:
    """Yield the targets of rel=license, and every mark of Creative Commons."""
    for link in root.iter("a", "link", "area"):
        target = safe_link(link.get("href") or "", url)
        mark = _CREATIVE_COMMONS.match(target)
        if mark is not None:
            yield f"https://creativecommons.org/{mark[1]}/{mark[2]}/{mark[3]}".lower().rstrip("/")
        elif target and "license" in (link.get("rel") or "").lower().split():
            yield target


def _structured(root: Any) -> Iterator[str]:
    """Yield the values of `license` in JSON-LD."""
    for script in root.iter("script"):
        if (script.get("type") or "").strip().lower() != "application/ld+json":
            continue
        try:
            stack = [json.loads(script.text or "")]
        except (ValueError, RecursionError):
            continue
        while stack:
            value = stack.pop()
            if isinstance(value, list):
                stack += value
            elif isinstance(value, dict):
                named = value.get("license")
                if isinstance(named, dict):
                    named = named.get("@id") or named.get("url")
                if isinstance(named, str):
                    mark = _CREATIVE_COMMONS.match(named)
                    if mark is None:
                        yield named
                    else:
                        whole = f"https://creativecommons.org/{mark[1]}/{mark[2]}/{mark[3]}"
                        yield whole.lower().rstrip("/")
                stack += [each for each in value.values() if isinstance(each, dict | list)]


def _short(text: str) -> str:
    return " ".join(without_unseen(text).split())[:_LONGEST]
