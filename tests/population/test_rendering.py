"""The choice of pages for the browser is learnt from their energy."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.budget import Budget
from evocrawl.core.fees import Fees
from evocrawl.core.model import Cost, Dead, Fetched, Lead, Page, Visit
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.population.rendering import RenderingChoice

GAIN = 8.0
FEES = Fees(1.0, 1.0, 1.0, browser=1.0, most_browser=GAIN)


def _choice(limit: int | None = 1000, share: float = 0.5, seed: int = 0) -> RenderingChoice:
    return RenderingChoice(Budget(limit), FEES, gain=GAIN, relevant_at=0.5, share=share, seed=seed)


def _visit(url: str, source: str = "") -> Visit:
    at = fingerprint(source) if source else b""
    return Visit(1, 1, Lead(url, fingerprint(url), host_of(url), at, 1, 0.0), 0.0)


def _page(url: str, energy: float, requests: int, relevance: float = 0.4) -> Fetched:
    page = Page(url, fingerprint(url), relevance, energy)
    return Fetched(page, Cost(browser_requests=requests))


def _opened(choice: RenderingChoice, url: str, energy: float, requests: int = 3) -> None:
    choice.learn(_visit(url), _page(url, energy, requests))


def _share_worth(choice: RenderingChoice, template: str) -> float:
    urls = [template.format(each) for each in range(200)]
    return sum(choice.is_worth(url, fingerprint(url)) for url in urls) / len(urls)


def test_an_unknown_host_is_tried() -> None:
    """The first pages of a site are opened, for any random seed."""
    for seed in range(50):
        url = f"http://a{seed}.test/1"
        assert _choice(seed=seed).is_worth(url, fingerprint(url))


def test_a_template_that_pays_is_opened_and_another_is_not() -> None:
    """On the same host, and with the same fees."""
    choice = _choice()
    for number in range(12):
        _opened(choice, f"http://a.test/article/{number}", GAIN)
        _opened(choice, f"http://a.test/login/{number}", 0.0)
    assert _share_worth(choice, "http://a.test/article/{}") == 1.0
    assert _share_worth(choice, "http://a.test/login/{}") < 0.05


def test_the_energy_of_a_host_counts_for_its_unknown_templates() -> None:
    """If the pages of a host do not pay, no page of another template is opened."""
    choice = _choice()
    for number in range(20):
        _opened(choice, f"http://bad.test/{number}", 0.0)
    assert _share_worth(choice, "http://bad.test/other/{}") < 0.05
    assert _share_worth(choice, "http://good.test/other/{}") == 1.0


def test_a_list_gets_the_energy_of_its_linked_pages() -> None:
    """Its own energy is 0; without its links it would not be worth its requests."""
    choices = [_choice(), _choice()]
    for choice in choices:
        for number in range(10):
            _opened(choice, f"http://a.test/list/{number}", 0.0)
    for number in range(10):
        source = f"http://a.test/list/{number}"
        url = f"http://b.test/{number}"
        choices[0].learn(_visit(url, source), _page(url, GAIN, 0))
    with_links, without = (_share_worth(each, "http://a.test/list/{}") for each in choices)
    assert with_links == 1.0
    assert without < 0.1


def test_a_site_that_is_relevant_throughout_is_opened_to_its_end() -> None:
    """Its pages are all alike, so that the energy model leaves nothing on most of them."""
    choice = _choice()
    for number in range(400):
        for template in ("article", "login", "copy"):
            url = f"http://{template}.test/{number}"
            relevance = 0.3 if template == "login" else 0.9
            energy = 0.0 if template == "copy" else -0.9
            choice.learn(_visit(url), _page(url, energy, 1, relevance))
    assert _share_worth(choice, "http://article.test/{}") == 1.0
    assert _share_worth(choice, "http://login.test/{}") < 0.05
    assert _share_worth(choice, "http://copy.test/{}") < 0.05


def test_a_page_that_cannot_be_opened_has_costs_and_no_energy() -> None:
    """Dead links count with their requests."""
    choice = _choice()
    for number in range(20):
        url = f"http://a.test/{number}"
        choice.learn(_visit(url), Dead("timeout", Cost(browser_requests=4)))
    assert choice.requests == 80
    assert _share_worth(choice, "http://a.test/{}") < 0.05


def test_the_share_of_the_budget_is_kept() -> None:
    """Requests of pages under way count, too."""
    choice = _choice(limit=100, share=0.1)
    assert choice.has_share(9)
    assert not choice.has_share(10)
    _opened(choice, "http://a.test/1", 1.0, requests=6)
    assert choice.has_share(3)
    assert not choice.has_share(4)


def test_without_a_limit_the_share_is_that_of_the_requests_so_far() -> None:
    """The first few are free."""
    budget = Budget()
    choice = RenderingChoice(budget, FEES, gain=GAIN, relevant_at=0.5, share=0.5)
    assert choice.has_share(9)
    assert not choice.has_share(10)
    for _ in range(100):
        budget.spend(None)
    assert choice.has_share(49)
    assert not choice.has_share(50)


def test_the_fee_is_never_more_than_a_relevant_page_pays() -> None:
    """A page with a hundred requests costs as much as one with eight."""
    assert FEES.of_browser(Cost(browser_requests=3)) == 3.0
    assert FEES.of_browser(Cost(browser_requests=100)) == GAIN
    assert FEES.of_browser(Cost()) == 0.0


@given(
    st.lists(st.tuples(st.integers(0, 5), st.floats(-1, 8), st.integers(0, 9)), max_size=40),
    st.integers(0, 99),
)
def test_the_same_past_and_seed_decide_the_same(
    past: list[tuple[int, float, int]], seed: int
) -> None:
    """A resumed crawl, which learns from its journal, decides the same."""
    choices = [_choice(seed=seed), _choice(seed=seed)]
    for number, (host, energy, requests) in enumerate(past):
        for choice in choices:
            _opened(choice, f"http://h{host}.test/{number}", energy, requests)
    urls = [f"http://h{each}.test/x" for each in range(6)]
    first, second = ([each.is_worth(u, fingerprint(u)) for u in urls] for each in choices)
    assert first == second


def test_memory_is_bounded() -> None:
    """Of a site with a template for each page the last ten thousand are kept."""
    choice = _choice()
    for number in range(12_000):
        _opened(choice, f"http://a.test/{'x' * (number % 50)}-{chr(97 + number % 26)}/{number}/"
                + "y" * (number // 50), 0.0)  # fmt: skip
    assert len(choice._arms) <= 10_000
    assert len(choice._opened) <= 10_000
