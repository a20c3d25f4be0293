"""The item of a fetched page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class PageItem:
    """A page as it passes through the pipelines and into the feeds.

    ====================  ===================================================================
    field                 meaning
    ====================  ===================================================================
    visit                 number of the visit, from 1: the order in which pages were chosen
    url                   address after redirects
    title, text           title and main text, plain
    language              code such as "en", "" when unknown
    status                HTTP status
    fetched_at            end of the download, ISO 8601, UTC
    depth                 links from a seed
    parent                page on which the link was found, "" for a seed
    anchor                text of the link that was followed
    agent                 agent that followed the link
    relevance             set by `RelevancePipeline`, in [0, 1]
    energy                set by `EnergyPipeline`: energy that a first visit lays on the page
    content_fingerprint   hex digest of the normalised text; equal for equal texts
    formats               machine-readable content: json-ld, microdata, rdfa; of an RDF file
                          json-ld, n-triples, owl, rdf-xml, turtle; then the types of
                          schema.org that it names, such as schema:Recipe
    published_at          date of publication by the page, ISO 8601, UTC; "" when unknown
    changed_at            date of the last change by the page, or else by Last-Modified
    age_s                 seconds since the later of both; None when neither is known
    duplicate_of          page with most of the content of this one, which has no new content
                          and earns nothing; "" for others
    truncated             limits that cut the page: see `evocrawl.extraction.limits.Limits`
    ====================  ===================================================================
    """

    visit: int
    url: str
    title: str
    text: str
    language: str
    status: int
    fetched_at: str
    depth: int
    parent: str
    anchor: str
    agent: int
    relevance: float | None = None
    energy: float | None = None
    content_fingerprint: str = ""
    formats: tuple[str, ...] = ()
    published_at: str = ""
    changed_at: str = ""
    age_s: float | None = None
    truncated: tuple[str, ...] = ()
    duplicate_of: str = ""
