"""Names the group of a link that looks like a trap's.

==================  =============================================================================
group               links
==================  =============================================================================
repeats DOMAIN      of a page without new content, with a repetition in the path
run TEMPLATE, run   at the end of `LONGEST_RUN` pages without new content; without the template
                    if no address of it was visited
growth FAMILY       whose address grows (`evocrawl.population.traps.growing_urls`)
template TEMPLATE   of a spent template (`evocrawl.population.traps.yields`)
tokens TEMPLATE     the same, with a token in the path
domain DOMAIN       of a spent domain, or to one host too many of it
==================  =============================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from evocrawl.core.model import Lead
from evocrawl.core.urls.templates import domain_of, has_token, repeats_itself, template_of
from evocrawl.population.traps.barren_runs import Runs
from evocrawl.population.traps.growing_urls import Growth
from evocrawl.population.traps.yields import YieldTracker

LONGEST_RUN = 20


_Host: TypeAlias = tuple[str, bool, str]
"""The links to one host have in common: domain, whether it has spent templates, group or ""."""


class LinkGroups:
    """Finds the groups of links by the yields of templates and domains, growth and runs."""

    def __init__(self, yields: YieldTracker, growth: Growth, runs: Runs) -> None:
        self._yields = yields
        self._growth = growth
        self._runs = runs

    def names(self, leads: Sequence[Lead]) -> list[str]:
        """Return for each link of one page the name of its group, "" without one. O(links)."""
        source = leads[0].source
        is_barren = source in self._runs
        is_long = is_barren and self._runs.length(source) >= LONGEST_RUN
        hosts: dict[str, _Host] = {}
        for each in leads:
            if each.host not in hosts:
                hosts[each.host] = self._look_at(each.host)
        if is_barren:
            return [
                self._barren(each, hosts[each.host], is_long=is_long)
                or self._spent(each, hosts[each.host])
                for each in leads
            ]
        if self._growth.has_visits or any(spent or group for _, spent, group in hosts.values()):
            return [self._spent(each, hosts[each.host]) for each in leads]
        return [""] * len(leads)

    def _look_at(self, host: str) -> _Host:
        domain, yields = domain_of(host), self._yields
        waits = yields.is_spent_domain(domain) or (
            host != domain and yields.is_host_too_many(host, domain)
        )
        return domain, yields.has_spent_templates(domain), f"domain {domain}" if waits else ""

    def _barren(self, lead: Lead, host: _Host, *, is_long: bool) -> str:
        """Return the group that a link has because its page has no new content, "" without one."""
        if repeats_itself(lead.url):
            return f"repeats {host[0]}"
        if not is_long:
            return ""
        kind = template_of(lead.url)
        return f"run {kind}" if self._yields.is_known(kind) else "run"

    def _spent(self, lead: Lead, host: _Host) -> str:
        """Return the group of growth, template or domain of a link, "" without one."""
        family = self._growth.family_of(lead.fingerprint) if self._growth.has_visits else b""
        if family:
            return f"growth {family.hex()}"
        _, has_spent_templates, group = host
        if has_spent_templates:
            kind = template_of(lead.url)
            if self._yields.is_spent_template(kind):
                return f"{'tokens' if has_token(lead.url) else 'template'} {kind}"
        return group
