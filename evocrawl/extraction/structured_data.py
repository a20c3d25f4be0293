"""Detects the machine-readable content of an HTML page: JSON-LD, Microdata, RDFa.

=============  ===========================================================================
format         is found if
=============  ===========================================================================
``json-ld``    a ``script`` of type ``application/ld+json`` has JSON for which `is_json_ld`
               is True
``microdata``  one element has ``itemscope`` and one ``itemprop``
``rdfa``       an element other than ``meta`` has a ``property``
=============  ===========================================================================

A ``meta`` with a ``property`` does not count: most pages have some for previews in social networks
(Open Graph). The formats are detected only, not extracted: extruct (BSD) extracts all of them with
rdflib and pyRdfa, and takes a hundred times as long.

Types of schema.org that the three formats name are listed beside them, as ``schema:Recipe``: the
values of ``@type``, ``itemtype`` and ``typeof``, without their namespace, at most `MOST_TYPES`.

Sources: JSON-LD 1.1 §7, HTML Living Standard §5 (Microdata), RDFa Core 1.1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
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
"""The formats by the media type of RDF files."""

TYPE_MARK = "schema:"
"""Prefix of the entries that are types of schema.org."""
MOST_TYPES = 20

_SCRIPTS = 20
_NODES = 10_000
_SCRIPT_CHARS = 1_000_000
_KEYWORDS = ("@context", "@graph", "@id", "@type")
# Separate expressions: see `evocrawl.extraction.visibility`.
_properties: Any = etree.XPath("//@property")
_item_scopes: Any = etree.XPath("boolean(//@itemscope)")
_item_properties: Any = etree.XPath("boolean(//@itemprop)")
_type_attributes: Any = etree.XPath("//@itemtype | //@typeof")
_SCHEMA_TYPE = re.compile(
    r"(?:https?://(?:www\.)?schema\.org/|schema:)?([A-Za-z][A-Za-z0-9]{0,60})"
)


def formats_in(root: Any) -> tuple[str, ...]:
    """Return the formats and schema.org types of a parsed page with its scripts, sorted."""
    documents = [each for each in _json_ld(root) if is_json_ld(each)]
    found = []
    if documents:
        found.append("json-ld")
    if _item_scopes(root) and _item_properties(root):
        found.append("microdata")
    if any(each.getparent().tag != "meta" and each.strip() for each in _properties(root)):
        found.append("rdfa")
    types = islice(_types(root, documents), MOST_TYPES) if found else ()
    return (*found, *sorted(types))


def _types(root: Any, documents: list[object]) -> Iterator[str]:
    """Yield the schema.org types, each once."""
    seen = set()
    for name in (*_attribute_types(root), *_json_types(documents)):
        found = _SCHEMA_TYPE.fullmatch(name)
        if found and found[1] not in seen:
            seen.add(found[1])
            yield TYPE_MARK + found[1]


def _attribute_types(root: Any) -> Iterator[str]:
    for value in islice(_type_attributes(root), _NODES):
        yield from value[:1000].split()


def _json_types(documents: list[object]) -> Iterator[str]:
    """Yield the values of all ``@type`` keys, at any depth, of at most `_NODES` nodes."""
    todo = documents[:]
    for _ in range(_NODES):
        if not todo:
            return
        node = todo.pop()
        if isinstance(node, list):
            todo.extend(node[:_NODES])
        elif isinstance(node, dict):
            named = node.get("@type")
            yield from (each for each in (named if isinstance(named, list) else [named])
                        if isinstance(each, str))  # fmt: skip
            todo.extend(value for value in node.values() if isinstance(value, dict | list))


def is_json_ld(value: object) -> bool:
    """Return whether parsed JSON is a JSON-LD document: its objects name a context or a node.

    No context is fetched, so that a page cannot send the crawler to other addresses.
    """
    nodes = value if isinstance(value, list) else [value]
    return any(isinstance(node, dict) and any(key in node for key in _KEYWORDS) for node in nodes)


def parsed_json(text: str | bytes) -> object:
    """Return the value of a JSON text, which may have control characters in strings, or None."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _json_ld(root: Any) -> Iterator[object]:
    """Yield the values of the first scripts that are JSON-LD by their type."""
    for script in islice(root.iter("script"), _SCRIPTS):
        kind = (script.get("type") or "").partition(";")[0].strip().lower()
        text = script.text or ""
        if kind == "application/ld+json" and len(text) <= _SCRIPT_CHARS:
            yield parsed_json(text)
