"""What the opt-out files of servers say of the pages of a stored crawl."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from evocrawl.core.urls.identity import host_of
from evocrawl.store.export.page_rights import FileSource, PageRights

_HOSTS, _POLICIES = 100, 100
NAMES = ("ai.txt", "tdmrep.json")


def opt_outs_of(source: FileSource, urls: Iterable[str]) -> dict[str, Any] | None:
    """Return the pages that servers reserve, as JSON values; None if no server was asked.

    `servers` counts servers by file and answer, `pages` pages by file, `hosts` the pages of the
    hosts that reserve most, and `policies` pages by the address of their conditions.
    """
    rights = PageRights(source)
    by_host: dict[str, Counter[str]] = {}
    pages, policies = Counter[str](), Counter[str]()
    for url in urls:
        found = rights.of(url, None)
        if found is not None and found.opt_outs:
            pages.update(found.opt_outs)
            by_host.setdefault(host_of(url), Counter()).update(found.opt_outs)
            policies.update([found.policy] if found.policy else [])
    if not rights.are_files_known:
        return None
    ranked = sorted(by_host.items(), key=lambda each: (-max(each[1].values()), each[0]))
    return {
        "servers": {name: dict(sorted(rights.servers[name].items())) for name in NAMES},
        "pages": {name: pages[name] for name in NAMES},
        "hosts": [
            {"host": host, **{name: counts[name] for name in NAMES}}
            for host, counts in ranked[:_HOSTS]
        ],
        "policies": dict(policies.most_common(_POLICIES)),
    }
