"""When a template or a domain is spent."""

import pytest

from evocrawl.population.traps.yields import BLOCK, ENDLESS, PATIENCE, Gauge, YieldTracker


def test_a_template_is_spent_when_it_took_more_than_it_brought() -> None:
    """Its budget grows with what it yields."""
    yields = YieldTracker()
    assert not yields.is_known("a.test/#")
    for _ in range(3):
        yields.note("a.test/#", "a.test", is_new=True)
        assert yields.is_known("a.test/#")
    for _ in range(PATIENCE + 3):
        yields.note("a.test/#", "a.test", is_new=False)
        assert not yields.is_spent_template("a.test/#")
    yields.note("a.test/#", "a.test", is_new=False)
    assert yields.is_spent_template("a.test/#")
    assert yields.has_spent_templates("a.test")
    yields.note("a.test/#", "a.test", is_new=True)
    assert not yields.is_spent_template("a.test/#")
    assert not yields.has_spent_templates("a.test")


def test_a_domain_is_spent_by_all_its_templates() -> None:
    """Even if each template has one page."""
    yields = YieldTracker()
    for number in range(PATIENCE + 1):
        yields.note(f"a{number}.farm.test/", "farm.test", is_new=False)
    assert yields.is_spent_domain("farm.test")
    assert not yields.is_spent_template("a0.farm.test/")
    assert not yields.is_spent_domain("other.test")


def test_further_hosts_of_a_domain_wait_until_it_yields() -> None:
    """Each costs a robots.txt."""
    yields = YieldTracker()
    for number in range(PATIENCE + 1):
        assert not yields.is_host_too_many(f"a{number}.farm.test", "farm.test")
        yields.go_to(f"a{number}.farm.test", "farm.test")
    assert yields.is_host_too_many("b.farm.test", "farm.test")
    assert not yields.is_host_too_many("a0.farm.test", "farm.test")
    yields.note("a0.farm.test/", "farm.test", is_new=True)
    assert not yields.is_host_too_many("b.farm.test", "farm.test")


def test_a_counter_in_a_query_is_endless_a_numbered_page_is_not() -> None:
    """B110: only an address that a program answers counts on for ever."""
    yields = YieldTracker()
    for template in ("a.test/?y", "a.test/n/#"):
        yields.note(template, "a.test", is_new=True)
        for _ in range(ENDLESS):
            assert not yields.is_endless(template)
            yields.note(template, "a.test", is_new=False)
            yields.feed(template, 1, 0)
    assert yields.is_endless("a.test/?y")
    assert not yields.is_endless("a.test/n/#")


def test_sessions_in_the_path_are_endless_too() -> None:
    """A program can make any number of them."""
    yields = YieldTracker()
    for _ in range(ENDLESS):
        assert not yields.is_endless("a.test/s/#", has_token=True)
        yields.note("a.test/s/#", "a.test", is_new=False)
        yields.feed("a.test/s/#", 12, 0)
    assert yields.is_endless("a.test/s/#", has_token=True)


def test_the_domains_met_the_longest_ago_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """B068: memory goes with a number of domains, not with all there are."""
    monkeypatch.setattr("evocrawl.population.traps.yields.MOST_DOMAINS", 10)
    monkeypatch.setattr("evocrawl.population.traps.yields.MOST_HOSTS", 5)
    yields = YieldTracker()
    for number in range(100):
        domain = f"{number}.test"
        for _ in range(PATIENCE + 1):
            yields.note(f"{domain}/", domain, is_new=False)
            yields.go_to("a.old.test", "old.test")
        yields.new_words.note(domain, 0.5)
        yields.go_to(f"a{number}.old.test", "old.test")
    assert yields.is_spent_domain("99.test")
    assert not yields.is_spent_domain("1.test")
    assert len(yields._domains) == len(yields.new_words._domains) == 10
    assert yields.new_words._total == pytest.approx(5.0)
    assert len(yields._domains["old.test"].hosts or ()) == 5


def test_a_gauge_is_low_only_far_below_other_domains() -> None:
    """A crawl within one domain never stops for it."""
    gauge = Gauge(0.02)
    for _ in range(4 * BLOCK):
        gauge.note("trap.test", 0.0)
    assert not gauge.is_low("trap.test")
    gauge.note("a.test", 0.3)
    assert gauge.is_low("trap.test")
    assert not gauge.is_low("a.test")


def test_a_gauge_goes_by_the_latest_pages() -> None:
    """Everything is new at first; a domain that becomes better is not low any more."""
    gauge = Gauge(0.02)
    gauge.note("a.test", 0.5)
    gauge.note("trap.test", 1.0)
    for _ in range(2 * BLOCK - 2):
        gauge.note("trap.test", 0.0)
        assert not gauge.is_low("trap.test")
    gauge.note("trap.test", 0.0)
    assert gauge.is_low("trap.test")
    for _ in range(BLOCK):
        assert gauge.is_low("trap.test")
        gauge.note("trap.test", 1.0)
    assert not gauge.is_low("trap.test")


def test_addresses_that_stand_on_other_pages_have_an_end() -> None:
    """A shop's articles, alike but for numbers: their pages bring no more of them."""
    yields = YieldTracker()
    for _ in range(5 * ENDLESS):
        yields.note("a.test/part?id", "a.test", is_new=False)
        yields.feed("a.test/part?id", 0, 1)
    assert yields.is_spent_template("a.test/part?id")
    assert not yields.is_endless("a.test/part?id")


def test_a_list_is_credited_with_what_its_links_bring() -> None:
    """Its own pages may all be alike; one good page for each is enough, one for all is not."""
    yields = YieldTracker()
    for name, every in (("good", 1), ("bad", 40)):
        for number in range(40):
            yields.note(f"{name}.test/?page", f"{name}.test", is_new=False)
            yields.feed(f"{name}.test/?page", 1, 1)
            if number % every == 0:
                yields.credit(f"{name}.test/?page", f"{name}.test")
    assert not yields.is_spent_template("good.test/?page")
    assert not yields.has_spent_templates("good.test")
    assert yields.is_endless("bad.test/?page")
    assert yields.leads_elsewhere("bad.test/?page")
    assert yields.promise("good.test/?page") > yields.promise("bad.test/?page")


def test_a_credit_counts_for_the_domain_of_its_template() -> None:
    """A spent template yields again; its domain then has no spent template, another still has."""
    yields = YieldTracker()
    for domain in ("a.test", "b.test"):
        for _ in range(PATIENCE + 1):
            yields.note(f"{domain}/?page", domain, is_new=False)
    yields.credit("a.test/?page", "a.test")
    assert not yields.is_spent_template("a.test/?page")
    assert not yields.has_spent_templates("a.test")
    assert yields.has_spent_templates("b.test")


@pytest.mark.parametrize(
    ("name", "low", "high"), [("links_met", 0.01, 0.03), ("new_words", 1e-3, 3e-3)]
)
def test_a_domain_is_generated_below_the_floor_of_a_measure(
    name: str, low: float, high: float
) -> None:
    """However much more other domains have."""
    yields = YieldTracker()
    for domain, share in (("site.test", 0.9), ("made.test", low), ("poor.test", high)):
        for _ in range(2 * BLOCK):
            getattr(yields, name).note(domain, share)
    assert yields.is_made_up("made.test")
    assert not yields.is_made_up("poor.test")
    assert not yields.is_made_up("site.test")


def test_a_gauge_is_low_after_two_blocks_of_pages() -> None:
    """A first block may be by chance."""
    gauge = Gauge(0.02)
    gauge.note("a.test", 0.5)
    for number in range(1, 2 * BLOCK + 1):
        gauge.note("trap.test", 0.0)
        assert gauge.is_low("trap.test") == (number == 2 * BLOCK)
