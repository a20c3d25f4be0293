"""An adaptive crawler after ACHE: learn which links lead to relevant pages, and to their hubs.

Barbosa & Freire 2007, An adaptive crawler for locating hidden-Web entry points (WWW), of which
the crawler ACHE descends. A link classifier (naive Bayes on the words of anchor, surrounding text
and URL) puts a link into a level, and the frontier is in the order of levels::

    level    the link leads                                            priority
    0        to a relevant page                                        200 + 99 · P(0)
    1        to a page with a link to a relevant page                  100 + 99 · P(1)
    2        elsewhere                                                 99 · (1 − P(2))

from the `warm_up`-th example on. Before, as in ACHE's baseline, the priority of a link is 100 ·
the relevance of its page. A bar decides which pages are relevant.

Differences: ACHE's `learning_limit` is 500 pages, the whole budget of many crawls here; the warm-up
is 100, and much less is worse, since the words of few links mislead. ACHE's level 2 holds links two
steps from a relevant page, and its classifier never sees other links; here all other links are in
level 2, and the less probable level 2 is, the higher the priority. ACHE trains again on all links
at intervals; naive Bayes consists of counts and learns from each page at once. ACHE selects words;
here all words are hashed. The priority of a waiting link comes from an older classifier, so each
step scores some waiting links again in turn, and the first link before it is followed (lazy
evaluation, Minoux 1978).
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evocrawl.core.model import Fetched, Fingerprint, Lead, Link, Outcome, Page, Visit
from evocrawl.species.agent import Agent
from evocrawl.species.base import Species, View
from evocrawl.species.naive_bayes import NaiveBayes, Words, link_words
from evocrawl.species.parts import Bar, Best, Queue, WholeFrontier, lone
from evocrawl.species.reasons import Reason, Term

_LEVELS = 3
_NAMES = ("leads to a relevant page", "leads to a page that links to one", "leads elsewhere")
_TRAIL = 10_000
"""Number of pages whose incoming links are kept to find hubs."""
_SEED = 1000.0


@dataclass(slots=True)
class LinkLearner:
    """Learns the levels of links; at most `_TRAIL` examples may still change their level."""

    bar: Bar
    warm_up: int
    model: NaiveBayes = field(default_factory=lambda: NaiveBayes(_LEVELS))
    trail: OrderedDict[Fingerprint, tuple[Words, int]] = field(default_factory=OrderedDict)

    @property
    def has_learnt(self) -> bool:
        """True after `warm_up` examples that include the first level and another level."""
        first, *others = self.model.examples.tolist()
        return first > 0 and sum(others) > 0 and first + sum(others) >= self.warm_up

    def priority(self, words: Words) -> float:
        """Return the priority of a link by its words, in [0, 300]."""
        shares = self.model.probabilities(words)
        level = max(range(_LEVELS), key=shares.__getitem__)
        share = shares[level] if level < _LEVELS - 1 else 1 - shares[level]
        return 100.0 * (_LEVELS - 1 - level) + 99.0 * share

    def learn(self, agent: Agent, visit: Visit, outcome: Outcome) -> None:  # noqa: ARG002
        """Learn from the page that a link led to; the page with the link may be a hub."""
        words = visit.lead.features
        if not isinstance(words, tuple):
            return
        is_relevant = isinstance(outcome, Fetched) and self.bar.passes(outcome.page.relevance)
        level = 0 if is_relevant else _LEVELS - 1
        self.model.learn(words, level)
        if isinstance(outcome, Fetched):
            self.trail[outcome.page.fingerprint] = words, level
            if len(self.trail) > _TRAIL:
                self.trail.popitem(last=False)
        if is_relevant:
            self._promote(visit.lead.source)

    def _promote(self, page: Fingerprint) -> None:
        words, level = self.trail.get(page, ((), 0))
        if level == _LEVELS - 1:
            self.model.learn(words, level, -1.0)
            self.model.learn(words, 1)
            self.trail[page] = words, 1


@dataclass(frozen=True, slots=True)
class ByLevel(Best):
    """Scores a link by its words, or by its page during the warm-up."""

    learner: LinkLearner

    def explain(self, lead: Lead, leads: Sequence[Lead], agent: Agent | None) -> Reason:  # noqa: ARG002
        """Return the level of the link and the classifier's probabilities."""
        words = lead.features
        if not isinstance(words, tuple):
            return Reason("A seed comes before every link.", lead.score)
        if not self.learner.has_learnt:
            rule = "The classifier has seen too few links: the score is that of the page, in %."
            return Reason(rule, lead.score)
        shares = self.learner.model.probabilities(words)
        terms = tuple(Term(name, share, 1.0) for name, share in zip(_NAMES, shares, strict=True))
        rule = "Links of the most probable level come first: relevant page, hub, elsewhere."
        return Reason(rule, self.learner.priority(words), shares[0], terms=terms)

    def score(self, link: Link, page: Page | None) -> float:
        """Return the priority of a link, more than any for a seed."""
        if page is None:
            return _SEED
        if self.learner.has_learnt:
            return self.learner.priority(link_words(link))
        return 100 * page.relevance

    def appraise(self, link: Link, page: Page, via: Lead) -> tuple[float, Words]:  # noqa: ARG002
        """Return the priority and the link's words as numbers."""
        words = link_words(link)
        if self.learner.has_learnt:
            return self.learner.priority(words), words
        return 100 * page.relevance, words


@dataclass(frozen=True, slots=True)
class Refreshed(WholeFrontier):
    """The whole frontier; waiting links are scored again as the classifier learns.

    Each look scores `turns` of the waiting links again and raises those that have become better.
    It also scores the first link of the frontier until it stays the first, at most `turns` times.
    O(turns · log n).
    """

    learner: LinkLearner
    is_claimed: Callable[[Fingerprint], bool]
    turns: int
    waiting: deque[Lead] = field(default_factory=deque)

    def found(self, leads: Sequence[Lead]) -> None:
        """Queue the links by their score. O(log n) a link."""
        for lead in leads:
            self.frontier.push(lead, lead.score)
        self.waiting.extend(leads)

    def look(self, agent: Agent, is_free: Callable[[str], bool]) -> View:
        """See the best link of a free host, with priorities brought up to date."""
        if self.learner.has_learnt:
            self._raise_some()
            self._settle_first(is_free)
        # A zero-argument super() fails in a dataclass with slots.
        return WholeFrontier.look(self, agent, is_free)

    def _raise_some(self) -> None:
        for _ in range(min(self.turns, len(self.waiting))):
            lead = self.waiting.popleft()
            if not self.is_claimed(lead.fingerprint):
                self.frontier.push(lead, self._priority(lead))
                self.waiting.append(lead)

    def _settle_first(self, is_free: Callable[[str], bool]) -> None:
        first = None
        for _ in range(self.turns):
            lead = self.frontier.peek(is_free)
            if lead is None or lead is first:
                return
            self.frontier.rerank(lead, self._priority(lead))
            first = lead

    def _priority(self, lead: Lead) -> float:
        words = lead.features
        return self.learner.priority(words) if isinstance(words, tuple) else _SEED


def ache(
    frontier: Queue,
    is_claimed: Callable[[Fingerprint], bool],
    bar: Bar,
    *,
    warm_up: int = 100,
    turns: int = 8,
) -> Species:
    """Make the species with its own frontier; `warm_up` ≥ 0 examples, `turns` ≥ 1 links."""
    learner = LinkLearner(bar, warm_up)
    sight = Refreshed(frontier, learner, is_claimed, turns)
    return lone("ache", sight, ByLevel(learner), learner)
