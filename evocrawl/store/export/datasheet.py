"""A data sheet of a crawl: Croissant 1.0 (MLCommons), JSON-LD over schema.org.

It describes what was crawled, when and from where, the licences and opt-outs of pages, and how many
pages are near-duplicates. Terms that Croissant does not have are under ``evocrawl:``.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from evocrawl import __version__
from evocrawl.core.errors import EvocrawlError
from evocrawl.core.fetch import RawResponse
from evocrawl.core.sanitize import public
from evocrawl.core.urls.identity import host_of
from evocrawl.extraction.markdown_text import without_unseen
from evocrawl.politeness.opt_out_files import FILES
from evocrawl.store.export.page_rights import PageRights
from evocrawl.store.stored_page import StoredPage

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
_TERMS = "https://github.com/evocrawl/evocrawl/docs/guide/durability#"
_MOST = 100
_LONGEST_LINE = 100_000_000
"""Bytes of a page as JSON that are read at most."""
_OWN = ("crawl", "pages", "hosts", "languages", "licenses", "optOuts", "tdmPolicies",
        "rightsKnownOfPages", "optOutFiles", "notFetched")  # fmt: skip
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
    "evocrawl": _TERMS,
    # Counts by host and the like are values, and no nodes of the graph.
    **{f"evocrawl:{name}": {"@id": f"evocrawl:{name}", "@type": "@json"} for name in _OWN},
}
_FIELDS = (("url", "sc:URL"), ("title", "sc:Text"), ("text", "sc:Text"), ("language", "sc:Text"),
           ("fetched_at", "sc:DateTime"), ("relevance", "sc:Float"))  # fmt: skip


class DataFileError(EvocrawlError, ValueError):
    """The file that a data sheet is to describe has no pages; the message says why."""


@dataclass(slots=True)
class Tally:
    """Counts over the pages."""

    pages: int = 0
    relevant: int = 0
    duplicates: int = 0
    answers: int = 0
    characters: int = 0
    first: str = ""
    last: str = ""
    hosts: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    licenses: Counter[str] = field(default_factory=Counter)
    opt_outs: Counter[str] = field(default_factory=Counter)
    policies: Counter[str] = field(default_factory=Counter)

    def add(
        self, page: StoredPage, answer: RawResponse | None, rights: PageRights, relevant_at: float
    ) -> None:
        """Count a page."""
        self.pages += 1
        self.relevant += page.relevance >= relevant_at
        self.duplicates += bool(page.duplicate_of)
        self.characters += len(page.text)
        self.first = min(filter(None, (self.first, page.fetched_at)), default="")
        self.last = max(self.last, page.fetched_at)
        self.hosts[host_of(page.url)] += 1
        self.languages[page.language or "unknown"] += 1
        self.answers += answer is not None
        found = rights.of(page.url, answer)
        if found is not None:
            self.licenses.update(found.licenses)
            self.opt_outs.update(found.opt_outs)
            self.policies.update([found.policy] if found.policy else [])


def write_datasheet(
    pages: Iterable[tuple[StoredPage, RawResponse | None]],
    about: dict[str, Any],
    rights: PageRights,
    file: BinaryIO,
    data: Path | None = None,
) -> int:
    """Write the data sheet; return the number of pages. Raises OSError.

    `data` is the JSON lines file of the same pages: the sheet then has its name, size and SHA-256,
    and describes its columns. Raises DataFileError if it is another file.
    """
    tally, relevant_at = Tally(), float(about.get("relevant_at", 0.5))
    for page, answer in pages:
        tally.add(page, answer, rights, relevant_at)
    sheet = datasheet(tally, about, rights)
    if data is not None:
        sheet |= _distribution(data)
    file.write(json.dumps(sheet, indent=2, allow_nan=False).encode("ascii") + b"\n")
    return tally.pages


def datasheet(tally: Tally, about: dict[str, Any], rights: PageRights) -> dict[str, Any]:
    """Return the data sheet as JSON values, without the files."""
    query = " ".join(without_unseen(str(about.get("query", ""))).split())
    licenses = [name for name, _ in tally.licenses.most_common(_MOST)]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": _name(query),
        "description": f"Web pages that a focused crawl found for the query: {query}",
        "version": "1.0.0",
        "datePublished": tally.last[:10],
        "temporalCoverage": f"{tally.first}/{tally.last}" if tally.first else "",
        "keywords": query.split(),
        "inLanguage": [name for name, _ in tally.languages.most_common(_MOST) if name != "unknown"],
        # Each page has the licence of its site; these are those that pages name.
        "license": licenses or "unknown: no page names a licence",
        "creator": {"@type": "sc:Organization", "name": f"evocrawl {__version__}"},
        "rai:dataCollection": _collection(about),
        "rai:dataCollectionType": "Web Scraping",
        "rai:dataCollectionTimeframe": [tally.first, tally.last] if tally.first else [],
        "rai:personalSensitiveInformation": "Not removed: web pages may name persons.",
        "evocrawl:crawl": {
            "query": query,
            "seeds": public(about.get("seeds")),
            "species": about.get("species", ""),
            "relevance": about.get("relevance", ""),
            "robotsTxt": _of_robots(about),
        },
        **_of_pages(tally, rights),
    }


def _of_pages(tally: Tally, rights: PageRights) -> dict[str, Any]:
    """Return how many pages there are, by host, language and rights."""
    return {
        "evocrawl:pages": {
            "all": tally.pages,
            "relevant": tally.relevant,
            "nearDuplicates": tally.duplicates,
            "characters": tally.characters,
        },
        "evocrawl:hosts": dict(tally.hosts.most_common(_MOST)),
        "evocrawl:languages": dict(tally.languages.most_common(_MOST)),
        "evocrawl:licenses": dict(tally.licenses.most_common(_MOST)),
        "evocrawl:optOuts": dict(sorted(tally.opt_outs.items())),
        "evocrawl:tdmPolicies": dict(tally.policies.most_common(_MOST)),
        "evocrawl:rightsKnownOfPages": tally.answers,
        # Of how many servers each file was found, was none, and so on.
        "evocrawl:optOutFiles": {
            name: dict(sorted(counts.items())) for name, counts in rights.servers.items()
        },
        "evocrawl:notFetched": [] if rights.are_files_known else [each[1:] for each in FILES],
    }


def _collection(about: dict[str, Any]) -> str:
    return (
        f"A focused crawl by evocrawl {about.get('evocrawl', __version__)} followed links from the "
        f"seeds, chosen by the relevance of pages to the query. robots.txt was {_of_robots(about)}."
    )


def _of_robots(about: dict[str, Any]) -> str:
    return "obeyed" if about.get("ROBOTSTXT_OBEY", True) else "not obeyed"


def _name(query: str) -> str:
    words = "".join(char if char.isalnum() else " " for char in query).split()
    return "-".join(words)[:80] or "crawl"


def _check_data(data: Path) -> None:
    """Raise DataFileError unless the first line of the file is a page as JSON, or it is empty."""
    with data.open("rb") as file:
        line = file.readline(_LONGEST_LINE)
    try:
        page = json.loads(line or "{}")
    except (ValueError, RecursionError):
        page = None
    if line and not (isinstance(page, dict) and all(name in page for name, _ in _FIELDS)):
        raise DataFileError(
            f"{data}: no JSON lines with {', '.join(name for name, _ in _FIELDS)}; a data sheet "
            "describes the file of evocrawl export --format jsonl"
        )


def _distribution(data: Path) -> dict[str, Any]:
    digest = hashlib.sha256()
    _check_data(data)
    with data.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    source = {"fileObject": {"@id": "pages-file"}}
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"pages/{name}",
            "name": name,
            "dataType": kind,
            "source": {**source, "extract": {"column": name}},
        }
        for name, kind in _FIELDS
    ]
    return {
        "distribution": [{
            "@type": "cr:FileObject",
            "@id": "pages-file",
            "name": data.name,
            "contentUrl": data.name,
            "contentSize": f"{data.stat().st_size} B",
            "encodingFormat": "application/jsonlines",
            "sha256": digest.hexdigest(),
        }],
        "recordSet": [
            {"@type": "cr:RecordSet", "@id": "pages", "name": "pages", "field": fields}
        ],
    }  # fmt: skip
