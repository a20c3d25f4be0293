"""Explains one address of a stored crawl, from the store alone.

The journal is replayed up to the visit of the address, or to its end if there was no visit. So the
weights are those at the moment of the choice.
"""

from __future__ import annotations

from evocrawl.core.config.hints import address_hint
from evocrawl.core.errors import StateError
from evocrawl.core.model import Dead, Dropped, Fetched, Fingerprint, Lead, Outcome, Refused
from evocrawl.core.urls.identity import fingerprint
from evocrawl.monitor.explanation import (
    NO_ROBOTS,
    AgentShown,
    Explanation,
    FoundShown,
    LinkShown,
    PathStep,
    PlaceShown,
    ReasonShown,
    Status,
    TermShown,
)
from evocrawl.monitor.seeds import cause_of
from evocrawl.monitor.stored_crawl import AnyArchive, RebuiltPopulation, open_store
from evocrawl.monitor.watch import Watch, part_of
from evocrawl.population.link_status import LinkState, link_status
from evocrawl.species.reasons import Reason
from evocrawl.store.archive import Archive
from evocrawl.store.journal.compaction import COMPACT
from evocrawl.store.stored_page import StoredPage

_WAITS = {
    LinkState.CHOSEN: "The link is chosen, and waits for a free slot of its host {}.",
    LinkState.AWAITING: "The link is chosen, and waits for robots.txt or the lease of {}.",
    LinkState.PUT_OFF: "The link was put off: {}.",
    LinkState.TAKEN: "The link is taken {}.",
}
_SHARED = (
    "Several workers share this crawl: it keeps no journal of choices, so that weights, energies "
    "and ranks cannot be shown."
)
_COMPACT = f"Only pages can be explained, without weights, energies and ranks: {COMPACT}."
_LEAST_GAP = 0.05
_MISSING = 4
_LONGEST_PATH = 1000


def explain(store: str, url: str, *, learnt: str = "") -> Explanation:
    """Explain why the crawl in `store` followed a link to `url`, or why it did not.

    Raises StateError if there is no such crawl, or if `url` is not an http(s) URL.
    """
    try:
        target = fingerprint(url)
    except ValueError:
        raise StateError(_not_a_url(url)) from None
    with open_store(store) as archive:
        if not isinstance(archive, Archive):
            return _of_pages(archive, url, target, _SHARED)
        if archive.is_compact:
            return _of_pages(archive, url, target, _COMPACT)
        return _Explainer(archive, url, target).explanation(learnt)


def _not_a_url(url: str) -> str:
    hint = address_hint(url[:200])
    return f"{url[:200]!r} is not an http or https URL" + (f"; {hint}" if hint else "")


class _Explainer:
    """Explains one address of a crawl in a file."""

    def __init__(self, archive: Archive, url: str, target: Fingerprint) -> None:
        self._archive = archive
        self._url = url
        page = self._page = archive.page_at(target)
        if page is not None:
            visit: int | None = page.visit
            target = archive.target_of(page.visit) or target
        else:
            visit = max(archive.visits_to(target), default=None)
        self._watch = Watch(target, visit)

    def explanation(self, learnt: str) -> Explanation:
        watch, about = self._watch, self._archive.about()
        rebuilt = RebuiltPopulation(about, learnt=learnt, wrap=watch.wrap)
        watch.attach(rebuilt.population)
        problem = rebuilt.replay(watch.follow(self._archive.ops()), watch.is_over)
        relevant_at = rebuilt.config.relevant_at
        found = Explanation(self._url, self._status(rebuilt), relevant_at)
        if problem:
            found.notes.append(f"The journal was replayed in part only: {problem}")
        self._add_link(found)
        self._add_agent(found)
        self._add_outcome(found, relevant_at)
        if self._watch.outcome is None and self._page is not None:
            _add_record(found, self._archive, self._page, relevant_at)
            return found
        if watch.visit is None:
            self._add_place(found, rebuilt)
        elif watch.drawn is not None:
            found.reason = _shown(watch.drawn.reason, watch.drawn.in_sight)
        else:
            found.notes.append("The visit repeats an earlier one; the species chose nothing.")
        return found

    def _status(self, rebuilt: RebuiltPopulation) -> Status:
        watch = self._watch
        match watch.outcome:
            case Fetched():
                return "fetched"
            case Dead():
                return "dead"
            case Dropped():
                return "dropped"
            case None:
                pass
            case _:
                return "refused"
        if watch.visit is not None:
            return "under way"
        if link_status(rebuilt.population, watch.target).state is LinkState.HELD_BACK:
            return "held back"
        return "waiting" if watch.found else "unknown"

    def _add_link(self, found: Explanation) -> None:
        lead = self._watch.drawn.lead if self._watch.drawn else None
        lead = lead or next(iter(self._watch.found.values()), None) or self._watch.held
        if lead is None and self._page is None:
            found.notes.append("No page of this crawl links to the address, and it is no seed.")
        if lead is None:
            return
        source = self._archive.page_at(lead.source) if lead.source else None
        found.link = LinkShown(
            "" if source is None else source.url, lead.anchor, _context(source, lead)
        )
        found.path = _path_to(self._archive, source)

    def _add_agent(self, found: Explanation) -> None:
        watch = self._watch
        if watch.agent is None:
            return
        birth = watch.births[watch.agent]
        spent = sum(watch.paid.values())
        found.agent = AgentShown(
            watch.agent, birth.species, watch.visits_before, watch.energy_before,
            watch.energy_before + watch.gained - spent, watch.gained, dict(watch.paid),
            watch.ancestors(watch.agent),
        )  # fmt: skip

    def _add_outcome(self, found: Explanation, relevant_at: float) -> None:
        outcome = self._watch.outcome
        if outcome is not None:
            found.found = _found(outcome, relevant_at)
        if isinstance(outcome, Fetched) and self._watch.agent is not None:
            page, visit = outcome.page, self._watch.visit or 0
            anchor = "" if found.link is None else found.link.anchor
            found.path.append(
                PathStep(page.url, page.content.title, anchor, page.relevance, self._watch.agent,
                         visit)
            )  # fmt: skip

    def _add_place(self, found: Explanation, rebuilt: RebuiltPopulation) -> None:
        watch = self._watch
        where = link_status(rebuilt.population, watch.target)
        if watch.found and where.state in _WAITS:
            found.missing.append(_WAITS[where.state].format(where.reason))
        elif found.status == "held back":
            found.missing.append(f"The link is held back: {where.reason}.")
        for name, lead in watch.found.items():
            species = part_of(rebuilt.population, name)
            reason = species.choice.explain(lead, (), None)
            found.reason = _shown(reason, None)
            if found.status == "held back":
                return
            standing = species.sight.standing(lead)
            if standing is None:
                found.notes.append(f"The species {name} keeps no ranks of links that wait.")
                continue
            found.place = PlaceShown(
                standing.rank, standing.waiting, standing.score, standing.among
            )
            found.missing += _missing(reason)
            left = rebuilt.assembly.budget.left
            if left == 0:
                found.missing.append("The budget was used up before the turn of the link.")
            return


def _add_record(found: Explanation, archive: Archive, page: StoredPage, relevant_at: float) -> None:
    """Explain a page whose visit cannot be replayed by its record alone."""
    found.status = "fetched"
    found.path = _path_to(archive, page)
    found.link = LinkShown(page.parent, page.anchor, "")
    found.found = FoundShown(
        "fetched", "", page.url, page.title, page.relevance, relevant_at, page.energy, page.seconds
    )


def _of_pages(archive: AnyArchive, url: str, target: Fingerprint, note: str) -> Explanation:
    """Explain from the records of pages alone. O(pages)."""
    pages = {fingerprint(page.url): page for page in archive.pages()}
    page = pages.get(target)
    relevant_at = float(archive.about().get("relevant_at", 0.0))
    found = Explanation(url, "unknown" if page is None else "fetched", relevant_at)
    found.notes.append(note)
    if page is None:
        return found
    way = [page]
    while way[-1].parent and len(way) < _LONGEST_PATH:
        parent = pages.get(fingerprint(way[-1].parent))
        if parent is None or parent in way:
            break
        way.append(parent)
    found.path = [_step(each) for each in reversed(way)]
    found.link = LinkShown(page.parent, page.anchor, "")
    found.found = FoundShown(
        "fetched", "", page.url, page.title, page.relevance, relevant_at, page.energy, page.seconds
    )
    return found


def _path_to(archive: Archive, page: StoredPage | None) -> list[PathStep]:
    """Return the pages from the seed to `page`, with `page`. O(their number · log n)."""
    way: list[PathStep] = []
    seen = set[int]()
    while page is not None and page.visit not in seen and len(way) < _LONGEST_PATH:
        seen.add(page.visit)
        way.append(_step(page))
        page = archive.page_at(fingerprint(page.parent)) if page.parent else None
    return way[::-1]


def _step(page: StoredPage) -> PathStep:
    return PathStep(page.url, page.title, page.anchor, page.relevance, page.agent, page.visit)


def _context(source: StoredPage | None, lead: Lead) -> str:
    """Return the text around a link on its page."""
    links = () if source is None else source.links
    return next((each.context for each in links if each.fingerprint == lead.fingerprint), "")


def _shown(reason: Reason, in_sight: int | None) -> ReasonShown:
    terms = [
        TermShown(each.name, each.value, each.weight, each.contribution, each.average)
        for each in reason.terms
    ]
    terms.sort(key=lambda each: -abs(each.contribution))
    return ReasonShown(reason.rule, reason.score, reason.chance, reason.drawn, in_sight, terms)


def _found(outcome: Outcome, relevant_at: float) -> FoundShown:
    match outcome:
        case Fetched(page, cost):
            return FoundShown("fetched", "", page.url, page.content.title, page.relevance,
                              relevant_at, page.energy, cost.seconds)  # fmt: skip
        case Dead(reason, cost):
            return FoundShown("dead", reason, "", "", None, relevant_at, None, cost.seconds)
        case Dropped(reason):
            return FoundShown("dropped", reason, "", "", None, relevant_at, None, 0.0)
        case Refused(cause=cause):
            reason = f"{NO_ROBOTS}: {cause_of(cause)}" if cause else "robots.txt"
            return FoundShown("refused", reason, "", "", None, relevant_at, None, 0.0)


def _missing(reason: Reason) -> list[str]:
    """Name the terms in which a link is worse than links followed lately, greatest gap first."""
    gaps = sorted(
        (
            ((each.average - each.value) * each.weight, each)
            for each in reason.terms
            if each.average is not None
        ),
        key=lambda pair: -pair[0],
    )
    return [
        f"{each.name}: {each.value:.2f}; the links followed lately have {each.average:.2f} "
        f"({-gap:+.2f} in the score)"
        for gap, each in gaps[:_MISSING]
        if gap > _LEAST_GAP
    ]
