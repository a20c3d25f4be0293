"""The item that stands for a fetched page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class PageItem:
    """A page as it goes through the pipelines and into the feeds.

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
    agent                 agent that followed it
    relevance             set by `RelevancePipeline`, in [0, 1]
    energy                set by `EnergyPipeline`: what a first visit lays on the page
    content_fingerprint   hex digest of the normalised text; equal for equal texts
    formats               machine-readable content: json-ld, microdata, rdfa; of an RDF file
                          json-ld, n-triples, owl, rdf-xml, turtle
    published_at          when the page says it was published, ISO 8601, UTC; "" when unknown
    changed_at            when it, or else its Last-Modified header, says it last changed
    age_s                 seconds since the later of both; None when neither is known
    duplicate_of          page that says most of what this one says, which says nothing new and
                          earns nothing; "" for others
    truncated             caps that cut the page short: see `evocrawl.extraction.limits.Limits`
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
