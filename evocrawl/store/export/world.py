"""Writes a stored crawl as a world file: its fetches in the order in which visits ended.

The file is a recording (see `evocrawl.store.export.recording`) made after the crawl: each redirect
leads straight to its last page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, Protocol

from evocrawl.core.fetch import Fetch
from evocrawl.core.model import Fetched, Fingerprint, Lead, Link, Outcome, Refused, Visit
from evocrawl.core.urls.identity import host_of
from evocrawl.store.export.recording import Recording
from evocrawl.store.journal.operations import Chosen, Op, Placed, VisitSettled

_KEPT = ("query", "species", "seed", "seeds")


class Source(Protocol):
    """A stored crawl; see `evocrawl.store.archive.Archive`."""

    def about(self) -> dict[str, Any]:
        """Return the identity of the crawl."""

    def ops(self) -> Iterator[Op]:
        """Yield the operations in order."""


def write_world(archive: Source, file: BinaryIO, name: str) -> None:
    """Write the world file; the ending of `name` selects the compression.

    Raises RecordingError and OSError.
    """
    about = archive.about()
    described = {name: about[name] for name in _KEPT if name in about}
    described["by"] = f"evocrawl {about['evocrawl']}"
    recording = Recording(name, described, about["DOWNLOAD_TIMEOUT"], file)
    recording.begin()
    for fetch, outcome in _fetches(archive):
        recording.note(fetch, outcome)
    recording.close()


def _fetches(archive: Source) -> Iterator[tuple[Fetch, Outcome]]:
    """Yield fetch and outcome of each ended visit whose URL the state holds."""
    targets: dict[int, Fingerprint] = {}
    addresses: dict[Fingerprint, str] = {}
    for op in archive.ops():
        match op:
            case Placed(links):
                _note(links, addresses)
            case Chosen(visit=int(visit), target=bytes(target)):
                targets[visit] = target
            case VisitSettled(visit, outcome):
                if isinstance(outcome, Fetched):
                    _note(outcome.page.links, addresses)
                target = targets.pop(visit, b"")  # empty where the choice could not be read
                fetch = _fetch(visit, target, outcome, addresses)
                if fetch is not None:
                    yield fetch, outcome


def _note(links: tuple[Link, ...], addresses: dict[Fingerprint, str]) -> None:
    for link in links:
        addresses.setdefault(link.fingerprint, link.url)


def _fetch(
    number: int, target: Fingerprint, outcome: Outcome, addresses: dict[Fingerprint, str]
) -> Fetch | None:
    url = addresses.get(target, "")
    if not url:
        return None
    visit = Visit(number, 0, Lead(url, target, host_of(url), b"", 0, 0.0), 0.0)
    fetch = Fetch(visit, url, target)
    if isinstance(outcome, Fetched):
        page, cost = outcome.page, outcome.cost
        fetch.seconds, fetch.requests = cost.seconds, cost.requests
        if page.fingerprint != target:
            fetch.hops.append((url, page.url))
        fetch.url, fetch.address = page.url, page.fingerprint
    elif not isinstance(outcome, Refused) and hasattr(outcome, "cost"):
        fetch.seconds, fetch.requests = outcome.cost.seconds, outcome.cost.requests
    return fetch
