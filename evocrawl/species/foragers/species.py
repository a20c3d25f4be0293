"""Foragers look for news: the species of Palotai, Farkas & Lőrincz.

"Is selection optimal for scale-free small worlds?", §3. A forager makes *paths*: it begins at one
of its starting URLs and makes up to 100 steps. A step fetches a page and all the pages it links to.
The forager hands on the relevant ones, each version once, to the reinforcing agent, which rewards
pages that were not handed on before (100) and fines the others (−1). The next step goes to the page
of the highest estimated value of all pages linked on the path.

==========================  =================  ==========================  =================
species                     starting URLs      weights of the estimate     a child's weights
==========================  =================  ==========================  =================
``weblog``                  best 10 of weblog  fixed, drawn at birth       drawn anew
``reinforcement``           fixed              learnt by TD(0)             copied
``weblog_reinforcement``    best 10 of weblog  learnt by TD(0)             copied
==========================  =================  ==========================  =================

The score of a forager is its energy: 100 at birth, less 0.05 for a page handed on, and 1 more
where that is new (`evocrawl.core.config.presets`). At 200 a forager splits in two while there are
fewer than 16, at 0 it is deleted while there are more than two.

The paper does not describe the following, and it is chosen here: weights are drawn uniformly from
[−1, 1]; the fixed starting URLs are the seeds and the first visited pages, up to ten; a child does
not know which pages its parent has handed on; a starting URL that led to no page is skipped until a
path leads to a page; the first 1000 links of a page are followed. A forager splits or is deleted as
soon as its score allows it, while the paper waits for the end of its slice; the score above 200 is
shared with the child, while the paper sets both scores to 100. A forager waits for pages that
another forager is fetching.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evocrawl.core.model import Fetched, Fingerprint, Lead, Link, Outcome, Page, Visit
from evocrawl.species.agent import Agent
from evocrawl.species.base import Move, Species, View
from evocrawl.species.foragers.mind import MAX_STEP, Mind
from evocrawl.species.foragers.text_states import STATE_SIZE, State
from evocrawl.species.reasons import Reason, Trait

INIT_SCORE = 100.0
MAX_SCORE = 200.0
MIN_SCORE = 0.0
REWARD = 100.0
PENALTY = -1.0
SLICE_S = 180.0

KINDS = {
    "weblog": (True, False),
    "reinforcement": (False, True),
    "weblog_reinforcement": (True, True),
}
"""Maps a name to two flags: the weblog update selects starting URLs; weights are learnt."""

_NO_PAGE = b""
_MOST_LINKS = 1000
_IN_SIGHT = 16


@dataclass(slots=True)
class Fleet:
    """The parts that the foragers of a population share: kind, seeds, classification of pages.

    `latest` are the links of the page that was settled last.
    """

    selects: bool
    learns: bool
    classify: Callable[[Page], State]
    seeds: dict[Fingerprint, Lead] = field(default_factory=dict)
    latest: Sequence[Lead] = ()

    def mind(self, agent: Agent) -> Mind:
        """Return the agent's mind; create one for a founder."""
        if agent.mind is None:
            agent.mind = Mind(agent.rng.uniform(-1, 1, STATE_SIZE))
        mind = agent.mind
        assert isinstance(mind, Mind)
        return mind

    def links_of(self, page: Page) -> list[Lead]:
        """Return the links of the page that was found last. O(links)."""
        is_here = bool(self.latest) and self.latest[0].source == page.fingerprint
        return list(self.latest[:_MOST_LINKS]) if is_here else []


@dataclass(frozen=True, slots=True)
class Errands:
    """A forager sees the next page of its path, then the pages that this page links to."""

    fleet: Fleet

    def found(self, leads: Sequence[Lead]) -> None:
        """Store seeds, and the links of the page that is being settled. O(seeds)."""
        self.fleet.latest = leads
        for lead in leads if leads and leads[0].source == _NO_PAGE else ():
            self.fleet.seeds.setdefault(lead.fingerprint, lead)

    def wander(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Never wander."""
        return None

    def look(self, agent: Agent, is_free: Callable[[str], bool]) -> View:
        """See up to 16 of the pages to fetch. O(these pages), O(links of the path) for a step.

        A view without leads and busy hosts means that the last pages of the step are under way, or
        that there is no starting URL.
        """
        mind = self.fleet.mind(agent)
        if not mind.errands and not agent.in_flight:
            self._step(agent, mind)
        free = dict[str, bool]()
        leads = list[Lead]()
        for lead in reversed(mind.errands):
            if lead.host not in free:
                free[lead.host] = is_free(lead.host)
            if free[lead.host]:
                leads.append(lead)
                if len(leads) == _IN_SIGHT:
                    break
        return View(leads) if leads else View((), frozenset(free))

    def escape(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Return None: foragers do not leave their path."""
        return None

    def freed(self, host: str) -> None:
        """Do nothing: no link is queued by host."""

    def _step(self, agent: Agent, mind: Mind) -> None:
        """End a step and begin the next, on the path or on a new one."""
        mind.finish(learns=self.fleet.learns)
        step = mind.frontier.pop_best(mind.weights) if len(mind.path) < MAX_STEP else None
        if step is None:
            mind.restart(keeps_weblog=not self.fleet.selects)
            step = self._start(agent, mind)
        if step is not None:
            mind.begin(step)

    def _start(self, agent: Agent, mind: Mind) -> Lead | None:
        """Draw a starting URL; a seed without a place among them is tried once."""
        for seed in list(self.fleet.seeds.values())[mind.seeds :]:
            mind.weblog.add(seed)
            if self.fleet.selects and seed not in mind.weblog.starts():
                mind.untried.append(seed)
        mind.seeds = len(self.fleet.seeds)
        if mind.untried:
            return mind.untried.pop(0)
        starts = mind.weblog.starts() if self.fleet.selects else mind.weblog.starts(mind.seeds + 10)
        starts = [each for each in starts if each.fingerprint not in mind.failed]
        return starts[int(agent.rng.integers(len(starts)))] if starts else None


@dataclass(frozen=True, slots=True)
class Next:
    """A forager fetches its pages one after the other."""

    fleet: Fleet

    def score(self, link: Link, page: Page | None) -> float:  # noqa: ARG002 - protocol
        """Return 0: the worth of a link depends on its page, which is not known yet."""
        return 0.0

    def explain(self, lead: Lead, leads: Sequence[Lead], agent: Agent | None) -> Reason:  # noqa: ARG002
        """Return whether the link is a step of the path or a page linked at one."""
        mind = agent.mind if agent is not None else None
        if not isinstance(mind, Mind):
            return Reason("A forager fetches all pages that its steps link to.", lead.score)
        if mind.step is not None and mind.step.fingerprint == lead.fingerprint:
            rule = "A step of the forager's path: the page of the highest estimated value."
        else:
            rule = "The forager fetches all pages that the last step of its path links to."
        return Reason(f"{rule} The path has {len(mind.path)} steps.", lead.score)

    def describe(self, agent: Agent) -> list[Trait]:
        """Return the values of the pages in the forager's weblog, in its order."""
        mind = agent.mind
        if not isinstance(mind, Mind):
            return []
        values = mind.weblog.values
        return [
            Trait(f"weblog: {lead.url}", values[target])
            for target, lead in mind.weblog.leads.items()
        ]

    def draw(self, agent: Agent, leads: Sequence[Lead]) -> Lead:
        """Return the first lead, and remove it from the pages to fetch. O(errands)."""
        lead = leads[0]
        errands = self.fleet.mind(agent).errands
        for place in range(len(errands) - 1, -1, -1):
            if errands[place] is lead:
                del errands[place]
                break
        return lead


@dataclass(frozen=True, slots=True)
class StepLearning:
    """Stores the pages that a step has read and passed on, until the step ends."""

    fleet: Fleet

    def hands_on(self, agent: Agent, page: Page, *, pays: bool) -> bool:
        """Hand on relevant pages that this forager has not handed on (algorithms 5 and 7)."""
        mind = self.fleet.mind(agent)
        if page.relevance <= 0 or mind.sent.get(page.fingerprint) == page.version:
            return False
        mind.sent[page.fingerprint] = page.version
        mind.profit += REWARD if pays else PENALTY
        return True

    def learn(self, agent: Agent, visit: Visit, outcome: Outcome) -> None:
        """Learn from a page: that of the step gives errands, another is a possible next step.

        O(links of the page, length of its text).
        """
        mind = self.fleet.mind(agent)
        page = outcome.page if isinstance(outcome, Fetched) else None
        if not mind.is_landed:
            mind.is_landed = True
            if page is not None:
                mind.state = self.fleet.classify(page)
                mind.errands = self.fleet.links_of(page)[::-1]
        elif page is not None and not self._is_visited(mind, visit.lead.fingerprint):
            mind.frontier.put(visit.lead, self.fleet.classify(page))

    @staticmethod
    def _is_visited(mind: Mind, target: Fingerprint) -> bool:
        return target in mind.path or (mind.step is not None and target == mind.step.fingerprint)


@dataclass(frozen=True, slots=True)
class Splitting:
    """Splits foragers with a score of 200 and deletes those with a score of 0."""

    fleet: Fleet
    founder_energy: float = INIT_SCORE

    def clones(self, agent: Agent) -> int:
        """Return 1 from a score of 200 on."""
        return int(agent.energy >= MAX_SCORE)

    def is_doomed(self, agent: Agent) -> bool:
        """Return True for a score of 0 or less."""
        return agent.energy <= MIN_SCORE

    def inherit(self, parent: Agent, child: Agent) -> None:
        """Give half of the weblog (all of it if it does not change), and the weights if learnt."""
        mind, fresh = self.fleet.mind(parent), self.fleet.mind(child)
        selects = self.fleet.selects
        fresh.weblog = mind.weblog.halved(child.rng) if selects else mind.weblog.copy()
        fresh.seeds = mind.seeds
        if self.fleet.learns:
            fresh.weights = mind.weights.copy()


def foragers(name: str, classify: Callable[[Page], State]) -> Species:
    """Make one of the species of `KINDS`; `classify` returns the state of a page."""
    fleet = Fleet(*KINDS[name], classify)
    learning = StepLearning(fleet)
    return Species(
        name,
        Errands(fleet),
        Next(fleet),
        Splitting(fleet),
        learning,
        single_flight=False,
        revisits=True,
        slice_s=SLICE_S,
        hands_on=learning.hands_on,
        unbuffered=True,
    )
