"""The default species: its choices, the differences between agents, and inheritance."""

from collections.abc import Sequence

import numpy as np
import pytest
from crawled import order, to
from rankings import ranking_of

from evocrawl.core.model import Lead
from evocrawl.species.agent import Agent
from evocrawl.species.base import ANY_HOST
from evocrawl.species.evo.busy_hosts import LEARNING, BusyHosts
from evocrawl.species.evo.genome import Genome, GenomePool, Heredity
from evocrawl.species.evo.prospects import CandidateRanking
from evocrawl.species.reasons import sigmoid


class Ranked:
    """A model that scores each target by its row; `version` counts changes."""

    def __init__(self) -> None:
        self.version = 0
        self.followed = 100
        self.sign = 1.0
        self.asked = 0

    def features(self, rows: np.ndarray) -> np.ndarray:
        self.asked += len(rows)
        return np.asarray(rows, float)[:, None]

    def scores(self, features: np.ndarray) -> np.ndarray:
        return self.sign * features[:, 0]


def lead(row: int, host: str = "a.test") -> Lead:
    """Return a link to a target of this row."""
    name = f"{row}".encode()
    return Lead(f"http://{host}/{row}", name, host, b"", 1, 0.0, features=row)


def rows(leads: Sequence[Lead]) -> list[object]:
    """Return the rows of links."""
    return [each.features for each in leads]


def agent(seed: int) -> Agent:
    """Return a founder with its own stream."""
    return Agent(seed, 1.0, b"", np.random.default_rng(seed))


def test_links_like_those_that_led_to_good_pages_come_first() -> None:
    """Words without a match with the query are learnt within a few visits."""
    good, poor = [f"g{n}" for n in range(40)], [f"p{n}" for n in range(40)]
    links = [
        to(name, f"{'fossil' if name[0] == 'g' else 'stock'} item")
        for pair in zip(good, poor, strict=True)
        for name in pair
    ]
    web = {
        "seed": (0.5, links),
        **{name: (0.9, []) for name in good},
        **{name: (0.0, []) for name in poor},
    }
    visited = order("evo", web, most=200)
    assert set(visited) == set(web)
    assert sum(name[0] == "g" for name in visited[1:41]) >= 32


def test_seeds_come_before_every_link() -> None:
    """In the order they were given."""
    web = {"one": (0.9, [to("x", "0.9")]), "two": (0.1, []), "x": (0.9, [])}
    assert order("evo", web, seeds=("one", "two")) == ["one", "two", "x"]


class Claimed:
    """A page base of claims alone; `asked` counts the targets that were looked up."""

    def __init__(self) -> None:
        self.claimed: set[bytes] = set()
        self.releases = self.asked = 0

    def are_claimed(self, targets: Sequence[bytes]) -> list[bool]:
        self.asked += len(targets)
        return [target in self.claimed for target in targets]

    def claim(self, target: bytes) -> None:
        self.claimed.add(target)

    def release(self, target: bytes) -> None:
        self.claimed.discard(target)
        self.releases += 1


def test_the_best_links_are_seen_and_change_with_the_model() -> None:
    """The next look uses a change of the model for the links that it sees."""
    claims = Claimed()
    model = Ranked()
    prospects = ranking_of(claims.claimed.__contains__, model, claims)
    prospects.found([lead(row) for row in range(60)])
    assert rows(prospects.best(lambda _: True))[:3] == [59, 58, 57]
    claims.claim(b"59")
    assert rows(prospects.best(lambda _: True))[0] == 58
    model.sign, model.version = -1.0, 1
    assert rows(prospects.best(lambda _: True))[0] == 0


def test_links_that_are_drawn_and_claimed_are_left_out_once() -> None:
    """The trap of which links are held back pays once a link; a released claim opens one again."""
    claims = Claimed()
    prospects = ranking_of(claims.claimed.__contains__, Ranked(), claims)
    prospects.found([lead(row) for row in range(1000)])
    seen = rows(prospects.best(lambda _: True))
    for row in seen:
        claims.claim(b"%d" % row)
    assert len(prospects.best(lambda _: True)) == 1
    claims.asked = 0
    for row in range(1000 - len(seen) - 1, 500, -1):
        assert rows(prospects.best(lambda _: True)) == [row]
        claims.claim(b"%d" % row)
    assert claims.asked == 0
    claims.release(b"990")
    assert rows(prospects.best(lambda _: True)) == [990]


def test_the_cost_of_a_look_does_not_depend_on_the_waiting_links() -> None:
    """All links are scored when they are found; after each visit only a few are scored again."""
    model = Ranked()
    prospects = ranking_of(lambda _: False, model, Claimed())
    for row in range(0, 20_000, 1000):
        prospects.found([lead(row + each) for each in range(1000)])
        prospects.best(lambda _: True)
    assert model.asked == 20_000 + 19 * 80
    model.asked = 0
    for version in range(1, 11):
        model.version = version
        prospects.best(lambda _: True)
    assert model.asked <= 10 * 81


def test_every_waiting_link_is_looked_at_in_turn() -> None:
    """A link with a poor score rises when the model has learnt better."""
    model = Ranked()
    prospects = ranking_of(lambda _: False, model, Claimed())
    prospects.found([lead(row) for row in range(1000)])
    prospects.best(lambda _: True)
    model.sign = -1.0
    for version in range(1, 33):
        model.version = version
        best = prospects.best(lambda _: True)
    assert rows(best)[:3] == [0, 1, 2]


def test_only_links_of_free_hosts_are_seen() -> None:
    """If no host is free, the agent waits."""
    prospects = ranking_of(lambda _: False, Ranked(), Claimed())
    prospects.found([lead(1), lead(2, "b.test"), lead(3, "b.test")])
    assert rows(prospects.best(lambda host: host == "a.test")) == [1]
    assert prospects.best(lambda _: False) == []
    view = prospects.look(agent(0), lambda _: False)
    assert (view.leads, view.busy) == ((), {ANY_HOST})
    for host in ("a.test", "b.test"):
        prospects.freed(host)
    assert rows(prospects.best(lambda _: True)) == [3, 2, 1]


class Graded(Ranked):
    """A model of log-odds below zero; the odds rise by the factor e within 20 rows."""

    def scores(self, features: np.ndarray) -> np.ndarray:
        return super().scores(features) / 20 - 5


def waiting(selectivity: float, *, soon: bool, first: int = 20) -> CandidateRanking:
    """Return a ranking of two links at a.test and one at b.test, which is the best."""
    busy_hosts = BusyHosts(selectivity, lambda _: soon)
    prospects = ranking_of(lambda _: False, Graded(), Claimed(), busy_hosts)
    prospects.found([lead(first), lead(40), lead(60, "b.test")])
    return prospects


@pytest.mark.parametrize(("selectivity", "seen"), [(0.0, [40, 20]), (0.2, [40]), (0.3, [40])])
def test_links_much_worse_than_one_of_a_busy_host_are_left_out(
    selectivity: float, seen: list[int]
) -> None:
    """The chances of the three links are about 1/55, 1/20 and 1/8."""
    prospects = waiting(selectivity, soon=True)
    assert rows(prospects.best(lambda host: host == "a.test")) == seen
    assert rows(waiting(selectivity, soon=True).best(lambda _: True)) == [60, 40, 20]


def test_an_agent_waits_for_a_host_with_much_better_links() -> None:
    """It waits for the next free host; a host that is not free soon is not waited for."""
    prospects = waiting(0.5, soon=True)
    view = prospects.look(agent(0), lambda host: host == "a.test")
    assert (view.leads, view.busy) == ((), {ANY_HOST})
    prospects.freed("b.test")
    assert rows(prospects.look(agent(0), lambda _: True).leads) == [60, 40, 20]
    assert rows(waiting(0.5, soon=False).best(lambda host: host == "a.test")) == [40, 20]


def test_the_first_links_are_followed_by_their_chances_alone() -> None:
    """Before the model has learnt, any better link of a busy host is waited for."""
    prospects = waiting(0.01, soon=True)
    prospects._model.followed = 0
    assert prospects.look(agent(0), lambda host: host == "a.test").leads == ()
    prospects = waiting(0.01, soon=True)
    prospects._model.followed = LEARNING * 3 // 4
    assert rows(prospects.best(lambda host: host == "a.test")) == [40]
    prospects = waiting(0.0, soon=True)
    prospects._model.followed = 0
    assert rows(prospects.best(lambda host: host == "a.test")) == [40, 20]


def test_an_agent_waits_for_much_better_links_of_other_workers() -> None:
    """And for those of a busy host that are better still."""
    elsewhere = [1 / 15]
    busy_hosts = BusyHosts(0.5, lambda _: True, lambda: elsewhere[0])
    prospects = ranking_of(lambda _: False, Graded(), Claimed(), busy_hosts)
    prospects.found([lead(20), lead(40), lead(60, "b.test")])
    assert rows(prospects.best(lambda _: True)) == [60, 40]
    assert prospects.look(agent(0), lambda host: host == "a.test").leads == ()
    elsewhere[0] = 1 / 3
    prospects.freed("c.test")
    view = prospects.look(agent(0), lambda _: True)
    assert (view.leads, view.busy) == ((), {ANY_HOST})
    elsewhere[0] = 0.0
    prospects.freed("c.test")
    assert rows(prospects.look(agent(0), lambda _: True).leads) == [60, 40, 20]


def test_the_best_chance_is_that_of_an_open_link_of_a_host_that_is_free_soon() -> None:
    """Other workers wait for such a link alone."""
    free = {"a.test"}
    soon = {"b.test"}
    busy_hosts = BusyHosts(0.5, soon.__contains__)
    prospects = ranking_of(lambda _: False, Graded(), Claimed(), busy_hosts)
    assert prospects.best_chance(lambda _: True) == 0.0
    prospects.found([lead(20), lead(40), lead(60, "b.test")])
    prospects.best(free.__contains__)
    chances = [sigmoid(row / 20 - 5) for row in (60, 40, 20)]
    assert prospects.best_chance(free.__contains__) == pytest.approx(chances[0])
    soon.clear()
    assert prospects.best_chance(free.__contains__) == pytest.approx(chances[1])
    assert prospects.best_chance(lambda _: False) == 0.0


def test_the_best_chance_is_of_what_the_model_has_learnt_since_agents_have_looked() -> None:
    """From other populations, while agents wait."""
    model = Graded()
    prospects = ranking_of(lambda _: False, model, Claimed(), BusyHosts(0.5, lambda _: True))
    prospects.found([lead(20), lead(40)])
    assert prospects.best_chance(lambda _: True) == pytest.approx(sigmoid(40 / 20 - 5))
    model.sign, model.version = -1.0, 1
    assert prospects.best_chance(lambda _: True) == pytest.approx(sigmoid(-20 / 20 - 5))


def test_the_best_chance_is_known_while_all_hosts_are_busy() -> None:
    """Of links that were found since the last look, too; agents see the same links as without."""
    asked, unasked = (waiting(0.5, soon=True) for _ in range(2))
    for each in (asked, unasked):
        assert not each.best(lambda _: False)
        each.found([lead(80)])
    assert asked.best_chance(lambda _: False) == pytest.approx(sigmoid(80 / 20 - 5))
    for each in (asked, unasked):
        each.freed("a.test")
        each.freed("b.test")
        assert rows(each.best(lambda _: True)) == [80, 60, 40, 20]


def test_a_link_that_is_not_at_hand_is_left_out_too() -> None:
    """All links at hand may be of one busy host."""
    busy_hosts = BusyHosts(0.5, lambda _: True)
    prospects = ranking_of(lambda _: False, Graded(), Claimed(), busy_hosts)
    prospects.found([lead(1), *(lead(row, "b.test") for row in range(20, 80))])
    view = prospects.look(agent(0), lambda host: host == "a.test")
    assert (view.leads, view.busy) == ((), {ANY_HOST})


def test_founders_take_the_temperatures_in_turn() -> None:
    """The first one uses the mean of the model."""
    mates = GenomePool(4, (0.0, 0.5), 0.3)
    founders = [mates.genome(agent(seed)) for seed in range(3)]
    assert [each.temperature for each in founders] == [0.0, 0.5, 0.0]
    assert not np.array_equal(founders[0].z, founders[1].z)


def test_a_child_is_like_its_parent_but_not_the_same() -> None:
    """z stays a standard normal draw; a greedy parent has greedy children."""
    mates = GenomePool(2000, (1.0,), 0.3)
    parent, child = agent(1), agent(2)
    Heredity(mates).inherit(parent, child)
    assert isinstance(parent.mind, Genome)
    assert isinstance(child.mind, Genome)
    assert np.corrcoef(parent.mind.z, child.mind.z)[0, 1] == pytest.approx(0.954, abs=0.01)
    assert child.mind.z.std() == pytest.approx(1.0, abs=0.1)
    assert child.mind.temperature != 1.0
    assert mates.child_of(Genome(parent.mind.z, 0.0), child).temperature == 0.0
