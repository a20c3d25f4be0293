"""Reads RDF files: their format, whether they contain a statement, and their links.

============  =========================================  ==================================
format        media types                                read by
============  =========================================  ==================================
``json-ld``   application/ld+json                        json
``n-triples`` application/n-triples                      pyoxigraph, extra ``semantic``
``owl``       application/owl+xml, or an owl:Ontology    lxml
              in any of the others
``rdf-xml``   application/rdf+xml                        lxml
``turtle``    text/turtle, application/x-turtle          pyoxigraph, extra ``semantic``
============  =========================================  ==================================

Many servers declare none of these types. If the declared type is any text, any XML or any bytes,
the ending of the file's name decides, and for XML the root element.

The files may be hostile. No entity is loaded or resolved (XXE, CWE-611) or expanded beyond the
limit of libxml2, no context of JSON-LD is fetched, deep nesting only raises an error, and only the
first part of a big file is read. rdflib, which reads all formats, is not used: it takes 30 times as
long, recurses in Turtle and fetches contexts. pyoxigraph is not used for RDF/XML: for deep nesting
it takes time quadratic in the size of the file.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from itertools import islice
from typing import Any

from lxml import etree

from evocrawl.extraction.data_links import links_to
from evocrawl.extraction.html import ParsedPage
from evocrawl.extraction.limits import Limits
from evocrawl.extraction.structured_data import MEDIA_TYPES, is_json_ld, parsed_json

logger = logging.getLogger(__name__)

_ENDINGS = {
    "jsonld": "json-ld",
    "nt": "n-triples",
    "owl": "rdf-xml",
    "owx": "owl",
    "rdf": "rdf-xml",
    "ttl": "turtle",
}
_ANY = ("text/plain", "application/octet-stream", "binary/octet-stream", "application/json", "")
_ANY_XML = ("text/xml", "application/xml")
_ENDING = re.compile(r"\.([a-z]{2,6})(?:[?#]|\Z)", re.I)

_DEFAULT = Limits()
_STATEMENTS = 20_000
_FILE_BYTES = 500_000
_JSON_BYTES = 2_000_000
_BASES = 500
"""Most ``@base`` of a file. Each may lengthen the one before, so that many are an attack."""
_BASE = re.compile(rb"base\s*+<", re.I)

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_OWL = "http://www.w3.org/2002/07/owl#"
_FOAF = "http://xmlns.com/foaf/0.1/"
_LEADING = frozenset(
    (
        *(f"{_RDFS}{name}" for name in ("seeAlso", "isDefinedBy")),
        *(f"{_OWL}{name}" for name in ("imports", "sameAs")),
        *(f"{_FOAF}{name}" for name in ("homepage", "page", "weblog", "workplaceHomepage")),
    )
)
"""Predicates whose objects become links."""
_LEADING_NAMES = frozenset(re.split(r"[#/]", name)[-1] for name in _LEADING)


def rdf_format(content_type: str, url: str) -> str | None:
    """Return the format of a file, None if it is not RDF, ``"xml"`` if its root element decides.

    >>> rdf_format("text/turtle; charset=utf-8", "http://a.test/x")
    'turtle'
    >>> rdf_format("text/plain", "http://a.test/wine.owl?v=2")
    'rdf-xml'
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind in MEDIA_TYPES:
        return MEDIA_TYPES[kind]
    ending = _ENDING.search(url)
    by_ending = _ENDINGS.get(ending[1].lower()) if ending else None
    if kind in _ANY:
        return by_ending
    return "xml" if kind in _ANY_XML else None


def read_rdf(body: bytes, url: str, content_type: str, *, limits: Limits = _DEFAULT) -> ParsedPage:
    """Read the file `body` that was fetched from `url`; never raises, for any bytes.

    `is_markup` is False for a file that is not RDF or has no statement. The reading has formats and
    links, and no text; its content fingerprint is that of the bytes.
    """
    kind = rdf_format(content_type, url)
    if kind is None:
        return ParsedPage.nothing()
    found = _read(kind, body, url)
    if found is None:
        return ParsedPage.nothing()
    formats, addresses = found
    return ParsedPage(
        formats=tuple(sorted(formats)),
        links=tuple(links_to(((each, "", "") for each in addresses), url, limits)),
        content_fingerprint=blake2b(body, digest_size=12).digest(),
    )


def _read(kind: str, body: bytes, url: str) -> tuple[set[str], list[str]] | None:
    """Return formats and addresses, None without a statement."""
    if kind == "json-ld":
        return _read_json(body)
    if kind in ("turtle", "n-triples"):
        return _read_text(kind, body, url)
    return _read_xml(body, url)


def _read_json(body: bytes) -> tuple[set[str], list[str]] | None:
    value = parsed_json(body) if len(body) <= _JSON_BYTES else None
    if not is_json_ld(value):
        return None
    todo: list[tuple[str, object]] = [("", value)]
    addresses = []
    while todo:
        key, value = todo.pop()
        if isinstance(value, dict):
            todo += value.items() if "@id" not in value else [(key, value["@id"]), *value.items()]
        elif isinstance(value, list):
            todo += [(key, each) for each in value]
        elif isinstance(value, str) and re.split(r"[#/:]", key)[-1] in _LEADING_NAMES:
            addresses.append(value)
    return {"json-ld"}, addresses[::-1]


def _read_text(kind: str, body: bytes, url: str) -> tuple[set[str], list[str]] | None:
    oxigraph = _oxigraph()
    part = body[:_FILE_BYTES]
    if oxigraph is None or len(_BASE.findall(part)) > _BASES:
        return None
    syntax = oxigraph.RdfFormat.TURTLE if kind == "turtle" else oxigraph.RdfFormat.N_TRIPLES
    formats, addresses, holds_some = {kind}, [], False
    try:
        parsed = oxigraph.parse(part, format=syntax, base_iri=url)
        for _, predicate, target, _ in islice(parsed, _STATEMENTS):
            holds_some = True
            if not isinstance(target, oxigraph.NamedNode):
                continue
            if predicate.value in _LEADING:
                addresses.append(target.value)
            elif target.value == f"{_OWL}Ontology":
                formats.add("owl")
    except (SyntaxError, ValueError):
        # A file that was cut ends in the middle of a statement.
        if len(part) == len(body):
            return None
    return (formats, addresses) if holds_some else None


def _read_xml(body: bytes, url: str) -> tuple[set[str], list[str]] | None:
    """Read RDF/XML or OWL/XML; the root element decides which it is, not the server."""
    part = body[:_FILE_BYTES]
    parser = etree.XMLPullParser(
        events=("start",), base_url=url, resolve_entities=False, no_network=True, load_dtd=False
    )
    elements: list[Any] = []
    try:
        parser.feed(part)
        if len(part) == len(body):
            parser.close()
        elements = [element for _, element in parser.read_events()]
    except (etree.XMLSyntaxError, ValueError):
        return None
    if len(elements) < 2:
        return None
    root, *others = elements
    if root.tag == f"{{{_OWL}}}Ontology":
        return {"owl"}, [each.text or "" for each in others if each.tag == f"{{{_OWL}}}Import"]
    if root.tag != f"{{{_RDF}}}RDF":
        return None
    is_owl = any(each.tag == f"{{{_OWL}}}Ontology" for each in others)
    return {"rdf-xml", "owl"} if is_owl else {"rdf-xml"}, list(_resources(others))


def _resources(elements: Iterable[Any]) -> Iterator[str]:
    for element in elements:
        name = str(element.tag).lstrip("{").replace("}", "")
        address = element.get(f"{{{_RDF}}}resource") if name in _LEADING else None
        if address:
            yield address


@cache
def _oxigraph() -> Any:
    """Return the parser of Turtle and N-Triples, None if it is not installed."""
    try:
        import pyoxigraph
    except ImportError:
        logger.warning("extraction: Turtle and N-Triples are not read; install evocrawl[semantic]")
        return None
    return pyoxigraph
