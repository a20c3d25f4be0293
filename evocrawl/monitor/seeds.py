"""Finds out why the seeds of a crawl have brought no page, and when each is tried again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evocrawl.core.fetch import ADDRESS, GIVEN_UP, KNOWN
from evocrawl.core.model import SERVER_ERROR, Dead, Dropped, Fingerprint, Outcome, Refused, Visit
from evocrawl.core.urls.identity import fingerprint
from evocrawl.monitor.words import duration, shown_url

MOST = 1000
"""Number of seeds that are watched; the report names fewer."""

CAUSES = {
    ADDRESS: "the address guard refuses its address (allow_networks=127.0.0.1 allows one)",
    KNOWN: "it redirects to another seed",
    "CannotResolveHostError": "its host name is not known (DNS)",
    "DownloadConnectionRefusedError": "its server refuses the connection",
    "DownloadTimeoutError": "its server does not answer in time",
    "DownloadFailedError": "the connection failed",
    "ResponseDataLossError": "the answer was cut short",
    "no HTML": "the answer is no page (no HTML)",
    SERVER_ERROR: "its server answers with an error",
}
"""The cause to show for each reason of a dead or refused link, or name of an exception."""

FORBIDDEN = "robots.txt forbids it"


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a seed has brought no page yet, and the seconds until it is tried again.

    `again_s` is None if it is not tried again, 0 if a request is under way.
    """

    cause: str
    again_s: float | None = None

    def __str__(self) -> str:
        if self.again_s is None:
            return f"{self.cause}; it is not tried again"
        when = f"in {duration(self.again_s)}" if self.again_s >= 1 else "now"
        return f"{self.cause}; it is tried again {when}"


class SeedWatch:
    """The seeds of a crawl, each with how its visit ended.

    `waiting_for` returns the trouble of a seed whose visit has not ended. `refused_by` returns why
    robots.txt, or the failure to fetch it, refused a seed. Both take its URL.
    """

    def __init__(
        self,
        waiting_for: Callable[[str], Trouble],
        refused_by: Callable[[str], str],
        last_failure: Callable[[str], str],
    ) -> None:
        self._waiting_for = waiting_for
        self._refused_by = refused_by
        self._last_failure = last_failure
        self._urls: dict[Fingerprint, str] = {}
        self._ended: dict[Fingerprint, str] = {}

    def __len__(self) -> int:
        return len(self._urls)

    def add(self, url: str) -> None:
        """Watch a seed; ignore an address that is not a URL."""
        if len(self._urls) < MOST:
            try:
                self._urls.setdefault(fingerprint(url), url)
            except ValueError:
                return

    def note_outcome(self, visit: Visit, outcome: Outcome) -> None:
        """Note the outcome of a visit if it is the visit of a seed. O(1)."""
        seed = visit.lead.fingerprint
        url = self._urls.get(seed)
        if url is None:
            return
        match outcome:
            case Dead(reason=reason):
                self._ended[seed] = self._cause(reason, url)
            case Refused():
                self._ended[seed] = self._refused_by(url)
            case Dropped():
                self._ended.pop(seed, None)

    def troubles(self) -> Iterator[tuple[str, Trouble]]:
        """Yield the URL of each seed with its trouble. O(seeds)."""
        for seed, url in self._urls.items():
            cause = self._ended.get(seed)
            trouble = self._waiting_for(url) if cause is None else Trouble(cause)
            yield shown_url(url), trouble

    def _cause(self, reason: str, url: str) -> str:
        if reason == GIVEN_UP:
            return self._last_failure(url) or "its host failed too often"
        return cause_of(reason)


def cause_of(reason: str) -> str:
    """Return the words for the reason of a dead link.

    >>> cause_of("status 404"), cause_of("SomeError")
    ('its server answers with status 404', 'it failed: SomeError')
    """
    if reason.startswith("status "):
        return f"its server answers with {reason}"
    return CAUSES.get(reason) or f"it failed: {reason}"
