"""Detects the machine-readable content of an HTML page: JSON-LD, Microdata, RDFa.

=============  ===========================================================================
format         is there when
=============  ===========================================================================
``json-ld``    a ``script`` of type ``application/ld+json`` holds JSON that `is_json_ld`
``microdata``  one element has ``itemscope`` and one ``itemprop``
``rdfa``       an element that is no ``meta`` has a ``property``
=============  ===========================================================================

A ``meta`` with a ``property`` is how pages tell Facebook their picture (Open Graph): such a page is
no more semantic than any other, and RDFa by its letter alone. It is only looked for, not taken
apart: extruct (BSD) extracts all of it, but by way of rdflib and pyRdfa, and takes the hundredfold
time.

Sources: JSON-LD 1.1 §7, HTML Living Standard §5 (Microdata), RDFa Core 1.1.
"""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

from lxml import etree

MEDIA_TYPES = {
    "application/ld+json": "json-ld",
    "application/n-triples": "n-triples",
    "application/owl+xml": "owl",
    "application/rdf+xml": "rdf-xml",
    "application/x-turtle": "turtle",
    "text/turtle": "turtle",
}
"""Of RDF files, with the format that each is."""

_SCRIPTS = 20
_SCRIPT_CHARS = 1_000_000
_KEYWORDS = ("@context", "@graph", "@id", "@type")
# Not one expression: see `evocrawl.extraction.visibility`.
_properties: Any = etree.XPath("//@property")
_item_scopes: Any = etree.XPath("boolean(//@itemscope)")
_item_properties: Any = etree.XPath("boolean(//@itemprop)")


def formats_in(root: Any) -> tuple[str, ...]:
    """Return the formats found in a parsed page, its scripts included, in alphabetical order."""
    found = []
    if any(map(_holds_json_ld, islice(root.iter("script"), _SCRIPTS))):
        found.append("json-ld")
    if _item_scopes(root) and _item_properties(root):
        found.append("microdata")
    if any(each.getparent().tag != "meta" and each.strip() for each in _properties(root)):
        found.append("rdfa")
    return tuple(found)


def is_json_ld(value: object) -> bool:
    """Return whether parsed JSON is a JSON-LD document: its objects name a context or a node.

    No context is fetched: where a page says it is from is not where a crawler lets itself be sent.
    """
    nodes = value if isinstance(value, list) else [value]
    return any(isinstance(node, dict) and any(key in node for key in _KEYWORDS) for node in nodes)


def parsed_json(text: str | bytes) -> object:
    """Return the value of a JSON text, control characters in strings allowed; None for no JSON."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _holds_json_ld(script: Any) -> bool:
    kind = (script.get("type") or "").partition(";")[0].strip().lower()
    text = script.text or ""
    if kind != "application/ld+json" or len(text) > _SCRIPT_CHARS:
        return False
    return is_json_ld(parsed_json(text))
