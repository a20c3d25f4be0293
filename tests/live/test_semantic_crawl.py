"""BioCrawlers on a real web of pages with JSON-LD and a Turtle file."""

from __future__ import annotations

import pytest
from livecrawl import Crawl, page, site

from evocrawl.simulation.server.proxy import Response

SEMANTIC = (
    '<script type="application/ld+json">{"@context": "https://schema.org", "@id": "x"}</script>'
)
TURTLE = b"<#it> <http://www.w3.org/2000/01/rdf-schema#seeAlso> <http://data.test/more> ."


def semantic(*links: str) -> Response:
    """A page with JSON-LD."""
    plain = page(*links, text="some text")
    return Response(200, plain.body.replace(b"</body>", SEMANTIC.encode()), plain.headers)


def turtle(body: bytes) -> Response:
    """A file of an RDF type."""
    return Response(200, body, {"Content-Type": "text/turtle"})


def web() -> dict[str, object]:
    """Return a site with semantic pages, one with RDF files, a forbidden one, and four others."""
    plain = [f"p{number}.test" for number in range(4)]
    everywhere = [f"http://{host}/" for host in ("rich.test", "data.test", "closed.test", *plain)]
    forbids = Response(200, b"User-agent: *\nDisallow: /\n", {"Content-Type": "text/plain"})
    sites = {host: site({"/": page(*everywhere, "/more"), "/more": page()}) for host in plain}
    sites["rich.test"] = site({"/": semantic(*everywhere, "/a"), "/a": semantic(*everywhere)})
    sites["data.test"] = site(
        {
            "/": page("/file", "/broken", *everywhere),
            "/file": turtle(TURTLE),
            "/broken": turtle(b"<#it> <"),
            "/more": page(*everywhere),
        }
    )
    sites["closed.test"] = site({"/robots.txt": forbids, "/": page()})
    return sites


def test_semantic_content_is_found_and_rich_sites_are_visited_again(serve, crawl: Crawl) -> None:
    """RDF files are pages too, with their links; broken ones and plain pages are no food."""
    pytest.importorskip("pyoxigraph")
    crawled = crawl(
        serve(web()),
        arguments={
            "species": "biocrawler",
            "seeds": "http://p0.test/ http://data.test/file http://data.test/broken",
            "agents": 3,
            "max_requests": 250,
            "seed": 3,
        },
    )
    crawled.check_settled()
    found = {each["url"]: (each["formats"], each["relevance"]) for each in crawled.pages}
    assert found["http://rich.test/"] == (["json-ld"], 1.0)
    assert found["http://data.test/file"] == (["turtle"], 1.0)
    assert found["http://p0.test/"] == ([], 0.0)
    assert "http://data.test/broken" not in found
    assert "http://data.test/more" in found
    visits = [each["url"].split("/")[2] for each in crawled.pages]
    poor = max(visits.count(f"p{number}.test") for number in range(4))
    assert visits.count("rich.test") > 2 * poor
    assert crawled.stat("visits/refused") > 0
    assert crawled.stat("visits/dead") > 0


def test_dumb_crawlers_prefer_no_site(serve, crawl: Crawl) -> None:
    """They crawl the same web without rules."""
    arguments = {"species": "biocrawler_dumb", "seeds": "http://p0.test/", "agents": 2}
    crawled = crawl(serve(web()), arguments={**arguments, "max_requests": 120, "seed": 3})
    crawled.check_settled()
    visits = [each["url"].split("/")[2] for each in crawled.pages]
    assert visits.count("rich.test") < len(visits) / 3


def test_files_are_no_pages_to_other_crawls(serve, crawl: Crawl) -> None:
    """For a relevance model that uses words, a file without words is a dead link."""
    arguments = {"query": "text", "seeds": "http://data.test/", "max_requests": 40}
    crawled = crawl(serve(web()), arguments=arguments)
    crawled.check_settled()
    urls = {each["url"]: each["formats"] for each in crawled.pages}
    assert "http://data.test/file" not in urls
    assert urls["http://rich.test/"] == ["json-ld"]
