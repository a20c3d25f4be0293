"""The URL of a request, parsed and cleaned once."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.core.model import Fingerprint
from evocrawl.core.sanitize import without_credentials
from evocrawl.core.urls.identity import PLAIN, canonical, digest, fingerprint, host_of


@dataclass(frozen=True, slots=True)
class Address:
    """What a crawl reads from a URL.

    ============  ================================================================================
    field         meaning
    ============  ================================================================================
    url           the URL without user name and password
    canonical     w3lib's canonical form of `url`, on which Scrapy's own fingerprints are based
    fingerprint   identity of the page (`evocrawl.core.urls.identity`), None where `url` is not an
                  http or https URL
    host          key of politeness, "" where `url` has no host
    ============  ================================================================================
    """

    url: str
    canonical: str
    fingerprint: Fingerprint | None
    host: str

    @classmethod
    def of(cls, url: str) -> Address:
        """Parse `url`; never raises.

        >>> Address.of("http://me:secret@A.test:80/x?b&a#top").canonical
        'http://a.test:80/x?a=&b='
        >>> Address.of("data:,text").fingerprint is None, Address.of("http://A.test").host
        (True, 'a.test')
        """
        if PLAIN.fullmatch(url):
            host = url[url.index("//") + 2 : url.index("/", len("https://"))]
            return cls(url, url, digest(url), host)
        url = without_credentials(url)
        try:
            return cls(url, canonical(url), fingerprint(url), host_of(url))
        except ValueError:
            return cls(url, _canonical_or_same(url), None, host_of(url))


def _canonical_or_same(url: str) -> str:
    try:
        return canonical(url)
    except ValueError:
        return url
