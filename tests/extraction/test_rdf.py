"""RDF files: recognised, read and followed; hostile ones too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.extraction import Limits, ParsedPage, parse_html, read_rdf
from evocrawl.extraction.structured_data import MEDIA_TYPES

URL = "http://a.test/dir/file"
PREFIXES = (
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#>."
    "@prefix owl: <http://www.w3.org/2002/07/owl#>."
    "@prefix foaf: <http://xmlns.com/foaf/0.1/>."
)
RDF = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" '
    'xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:e="http://e.test/">'
)
EVERY_TYPE = sorted(MEDIA_TYPES)


def read(text: str | bytes, kind: str, url: str = URL) -> ParsedPage:
    """Return the result of reading a file."""
    return read_rdf(text.encode() if isinstance(text, str) else text, url, kind)


def urls(reading: ParsedPage) -> list[str]:
    """Return the addresses of its links."""
    assert [link.position for link in reading.links] == [*range(len(reading.links))]
    return [link.url for link in reading.links]


def test_turtle() -> None:
    """Statements, an ontology, and addresses under the predicates that lead on."""
    pytest.importorskip("pyoxigraph")
    reading = read(
        f"{PREFIXES} <> a owl:Ontology; rdfs:seeAlso <b>, <b#part>, <>, <mailto:x>, 'text' ;"
        "owl:imports <http://b.test/o> ; foaf:name 'Ada' ; foaf:page <../up> ; foaf:knows <no> .",
        "text/turtle; charset=utf-8",
    )
    assert reading.formats == ("owl", "turtle")
    assert reading.is_markup
    assert reading.text == ""
    assert urls(reading) == ["http://a.test/dir/b", "http://b.test/o", "http://a.test/up"]


def test_n_triples() -> None:
    """As Turtle, without prefixes."""
    pytest.importorskip("pyoxigraph")
    line = "<http://x.test/> <http://www.w3.org/2000/01/rdf-schema#seeAlso> <http://b.test/> ."
    reading = read(line, "application/n-triples")
    assert (reading.formats, urls(reading)) == (("n-triples",), ["http://b.test/"])


def test_rdf_xml() -> None:
    """Resources under the predicates that lead on; entities of OWL files cause no error."""
    reading = read(
        '<?xml version="1.0"?><!DOCTYPE rdf:RDF [<!ENTITY o "http://b.test/">]>'
        f'{RDF}<owl:Ontology rdf:about=""><owl:imports rdf:resource="&o;x"/>'
        '<rdfs:seeAlso rdf:resource="more"/><e:no rdf:resource="no"/></owl:Ontology></rdf:RDF>',
        "application/rdf+xml",
    )
    assert reading.formats == ("owl", "rdf-xml")
    assert urls(reading) == ["http://b.test/x", "http://a.test/dir/more"]


def test_owl_xml() -> None:
    """The XML syntax of OWL itself."""
    text = '<Ontology xmlns="http://www.w3.org/2002/07/owl#"><Import>http://b.test/i</Import></Ontology>'
    reading = read(text, "application/owl+xml")
    assert (reading.formats, urls(reading)) == (("owl",), ["http://b.test/i"])


def test_json_ld() -> None:
    """Addresses as texts and as nodes, at any depth; contexts are never fetched."""
    text = (
        '{"@context": "http://evil.test/context", "rdfs:seeAlso": {"@id": "http://b.test/"},'
        '"deep": [{"sameAs": ["http://c.test/", 5, null]}], "other": "http://d.test/"}'
    )
    reading = read(text, "application/ld+json")
    assert reading.formats == ("json-ld",)
    assert sorted(urls(reading)) == ["http://b.test/", "http://c.test/"]


@pytest.mark.parametrize(
    ("kind", "name", "is_read"),
    [
        ("text/plain", "x.owl", True),
        ("application/octet-stream", "x.RDF?v=1", True),
        ("", "x.rdf#top", True),
        ("text/xml", "x", True),
        ("application/xml; charset=utf-8", "x.php", True),
        ("text/plain", "x.txt", False),
        ("text/html", "x.rdf", False),
        ("image/svg+xml", "x", False),
    ],
)
def test_files_of_servers_that_do_not_know_rdf(kind: str, name: str, is_read: bool) -> None:
    """By the ending of the URL or the root of the XML; a declared type prevails."""
    reading = read(f"{RDF}<e:a/></rdf:RDF>", kind, f"http://a.test/{name}")
    assert reading.is_markup == is_read
    assert reading.formats == (("rdf-xml",) if is_read else ())


def test_other_xml_is_no_rdf() -> None:
    """Feeds and site maps are XML too."""
    assert not read('<feed xmlns="http://x.test/"><entry/></feed>', "text/xml").is_markup


@pytest.mark.parametrize("kind", EVERY_TYPE)
@pytest.mark.parametrize(
    "text", ["", " ", "<html><body>404</body></html>", "{}", "[1]", PREFIXES, f"{RDF}</rdf:RDF>"]
)
def test_a_file_without_statements_is_no_food(kind: str, text: str) -> None:
    """With any declared type."""
    assert not read(text, kind).is_markup


def test_a_big_file_is_read_in_part() -> None:
    """The cut at the limit is no error; a cut small file is one."""
    pytest.importorskip("pyoxigraph")
    line = "<a> <b> <c> .\n"
    assert read(line * 100_000, "text/turtle").formats == ("turtle",)
    assert not read(line * 10 + "<a> <b", "text/turtle").is_markup
    assert read(RDF + "<e:a/>" * 200_000, "text/xml").formats == ("rdf-xml",)
    assert not read(f"{RDF}<e:a>", "text/xml").is_markup


def test_a_changed_file_has_another_fingerprint() -> None:
    """It distinguishes versions of a page."""
    one, same, other = (
        read(f'{{"@id": "{name}"}}', "application/ld+json").content_fingerprint for name in "aab"
    )
    assert one == same != other


@pytest.mark.parametrize("entity", ["SYSTEM 'file:///etc/passwd'", "SYSTEM 'http://127.0.0.1:1/'"])
def test_external_entities_are_not_loaded(entity: str) -> None:
    """Neither entities of the content nor of the DTD (CWE-611)."""
    inside = f"<!DOCTYPE rdf:RDF [<!ENTITY x {entity}>]>{RDF}<rdfs:seeAlso>&x;</rdfs:seeAlso>"
    assert urls(read(f"{inside}</rdf:RDF>", "application/rdf+xml")) == []
    outside = f"<!DOCTYPE rdf:RDF [<!ENTITY % x {entity}> %x;]>{RDF}<e:a/></rdf:RDF>"
    assert urls(read(outside, "application/rdf+xml")) == []
    attribute = f"<!DOCTYPE rdf:RDF [<!ENTITY x {entity}>]>{RDF}<rdfs:seeAlso rdf:resource='&x;'/>"
    assert urls(read(f"{attribute}</rdf:RDF>", "application/rdf+xml")) == []


_BOMB = "".join(
    f'<!ENTITY a{level} "{f"&a{level - 1};" * 10 if level else "lol"}">' for level in range(12)
)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("text/xml", f"<!DOCTYPE rdf:RDF [{_BOMB}]>{RDF}<e:a>&a11;</e:a></rdf:RDF>"),
        ("text/xml", f"<!DOCTYPE rdf:RDF [{_BOMB}]>{RDF}<e:a e:x='&a11;'/></rdf:RDF>"),
        ("text/xml", RDF + "<e:a>" * 100_000),
        ("text/turtle", "<a> <b> " + "(" * 15_000),
        ("text/turtle", "<a> <b> " + "[ <b> " * 100_000),
        ("text/turtle", "<< " * 150_000),
        ("text/turtle", "@base <a/> .\n" * 38_000 + "<a> <b> <c> ."),
        ("text/turtle", '<a> <b> """' + "x" * 400_000),
        ("application/n-triples", "x\n" * 200_000),
        ("application/ld+json", '{"@id":' * 200_000),
        ("application/ld+json", "[" * 1_000_000),
    ],
)
def test_a_hostile_file_takes_no_time_and_is_no_food(kind: str, text: str) -> None:
    """Bombs, nesting and growing bases give an error at once."""
    assert not read(text, kind).is_markup


@given(st.sampled_from(EVERY_TYPE), st.binary(max_size=300))
def test_any_bytes_raise_no_error(kind: str, body: bytes) -> None:
    """All links are http(s) URLs."""
    for each in (body, b"<a> <http://xmlns.com/foaf/0.1/page> <" + body, b'{"@id":"' + body):
        assert all(url.startswith(("http://", "https://")) for url in urls(read(each, kind)))


def test_a_page_leads_to_its_data() -> None:
    """Links in its head come after those of its text, and differ from them by their rel."""
    html = (
        b"<base href=/x/><link rel=alternate type='text/turtle; q=1' href=d.ttl title=Data>"
        b"<link rel='describedby meta' type=application/rdf+xml href='d.rdf#it'><a href=/1>one</a>"
        b"<link rel=alternate type=application/rss+xml href=/feed>"
        b"<link rel=stylesheet type=text/turtle href=y>"
        b"<link rel=alternate type=text/turtle href=/1><link rel=alternate type=text/turtle>"
    )
    links = parse_html(html, URL).links
    assert [(each.url, each.anchor, each.rel, each.position) for each in links] == [
        ("http://a.test/1", "one", (), 0),
        ("http://a.test/x/d.ttl", "Data", ("evocrawl-data",), 1),
        ("http://a.test/x/d.rdf", "", ("evocrawl-data",), 2),
    ]
    assert len(parse_html(html, URL, limits=Limits(links=2)).links) == 2
