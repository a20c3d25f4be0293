"""Licences and opt-outs of the pages of a stored crawl, by their responses and their servers."""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import Protocol

from evocrawl.core.fetch import RawResponse
from evocrawl.extraction.rights import Rights, policy_address, rights_of
from evocrawl.politeness.opt_out_files import AI_TXT, FILES, TDMREP, OptOutFile, ServerOptOuts
from evocrawl.politeness.robots.rules import authority

_NAMES = {path: path.rpartition("/")[2] for path in FILES}
_MOST_SERVERS, _MOST_RULES = 1000, 100_000
_NOT_ASKED = "not asked"
_UNREADABLE = "unreadable"


class FileSource(Protocol):
    """A stored crawl; see `evocrawl.store.archive.Archive`."""

    def opt_out_files(self, authority: str) -> tuple[OptOutFile, ...]:
        """Return the opt-out files of a server that the crawl has asked for."""


class PageRights:
    """Reads the rights of pages; keeps the rules of the latest servers, 100 000 in all.

    `servers` counts the servers of the pages by file and answer: "found", "none", "refused",
    "failed", "unreadable" or "not asked".
    """

    def __init__(self, source: FileSource) -> None:
        self._source = source
        self._rules: OrderedDict[str, ServerOptOuts] = OrderedDict()
        self._size = 0
        self._counted: set[str] = set()
        self.servers: dict[str, Counter[str]] = {name: Counter() for name in _NAMES.values()}

    @property
    def are_files_known(self) -> bool:
        """Whether any server of the pages was asked for an opt-out file."""
        return any(set(counts) - {_NOT_ASKED} for counts in self.servers.values())

    def of(self, url: str, answer: RawResponse | None) -> Rights | None:
        """Return the rights of a page, None if neither its response nor a file is known.

        The opt-outs "ai.txt" and "tdmrep.json" are those of its server.
        """
        rights = None if answer is None else rights_of(answer, url)
        server = self._server(url)
        if server is None or not server.answers:
            return rights
        rights = rights or Rights()
        opt_outs, policy = {*rights.opt_outs}, rights.policy
        if server.forbids(url):
            opt_outs.add(_NAMES[AI_TXT])
        # Header and meta prevail over the file (TDMRep, "Processing priority").
        found = server.reservation(url) if rights.is_reserved is None else None
        if found is not None and found.is_reserved:
            opt_outs.add(_NAMES[TDMREP])
            policy = policy_address(found.policy, url)
        return Rights(rights.licenses, tuple(sorted(opt_outs)), rights.is_reserved, policy)

    def _server(self, url: str) -> ServerOptOuts | None:
        try:
            place = authority(url)
        except ValueError:
            return None
        server = self._rules.get(place)
        if server is not None:
            self._rules.move_to_end(place)
            return server
        server = self._rules[place] = ServerOptOuts(self._source.opt_out_files(place))
        self._size += server.size
        self._count(place, server)
        while len(self._rules) > 1 and self._is_full():
            self._size -= self._rules.popitem(last=False)[1].size
        return server

    def _is_full(self) -> bool:
        return self._size > _MOST_RULES or len(self._rules) > _MOST_SERVERS

    def _count(self, place: str, server: ServerOptOuts) -> None:
        if place in self._counted:
            return
        self._counted.add(place)
        for path, name in _NAMES.items():
            is_unread = path in server.unreadable
            answer = _UNREADABLE if is_unread else server.answers.get(path, _NOT_ASKED)
            self.servers[name][answer] += 1
